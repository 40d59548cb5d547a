-- Whether this shard may be served: somebody has compared it with its journal since the server that
-- answers now was started. `store` (HASH) has the shard's identity, the server's run id at that
-- comparison, and the token whose key `serving:<token>` stands for it.
--
-- Gives  servingToken
--#include lib/base.lua

-- The token, or "" when the shard is not served: never on another server process than the one it was
-- compared on, because a restarted server may have forgotten its newest writes.
local function servingToken()
    local known = call('HMGET', K .. 'store', 'token', 'run')
    if not known[1] or call('EXISTS', K .. 'serving:' .. known[1]) == 0 then
        return ''
    end
    local run = string.match(call('INFO', 'server'), 'run_id:(%w+)')
    return run == known[2] and known[1] or ''
end
