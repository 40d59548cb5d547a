-- Whether this shard may be served: somebody has compared it with its journal since the server that
-- answers now was started. `store` (HASH) has the shard's identity, the server's run id at that
-- comparison, and the token whose key `serving:<token>` stands for it.
--
-- Gives  servingToken
--#include lib/base.lua

-- The token, or "" when the shard is not served: never on another server process than the one it was
-- compared on, because a restarted server may have forgotten its newest writes.
local function servingToken()
    local store = call('HMGET', K .. 'store', 'token', 'run')
    if not store[1] or call('EXISTS', K .. 'serving:' .. store[1]) == 0 then
        return ''
    end
    local run = string.match(call('INFO', 'server'), 'run_id:(%w+)')
    return run == store[2] and store[1] or ''
end
