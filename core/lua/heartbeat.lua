#!lua flags=allow-oom
--[[
heartbeat -- a loop of a daemon says that it turns, or a daemon that it ends.

Transition   none: it is about no job        (docs/redis-schema.md, key "daemons")

KEYS[1]  the first shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    daemon   "host/pid"
    loop     one word; "" = the daemon ends, with all its loops
    state    what stands behind the time in the loop's field

Returns  for each request "ok"

Touches  daemons

Why      A daemon that starts on a Redis without memory must be seen all the same. Whoever is heard takes
         out the loops, of any daemon, that have been silent for so long that nobody asks after them any more.
]]
--#include lib/base.lua
guard({daemons = 'hash'})

local kSilentLoopKept = 3600000  -- ms after its last heartbeat for which a loop is kept
local kHashTtl = 86400  -- s for which the hash is kept after the last heartbeat

local function forgetSilentLoops()
    local fieldsAndTexts = call('HGETALL', K .. 'daemons')
    for n = 1, #fieldsAndTexts, 2 do
        local seen = tonumber(string.match(fieldsAndTexts[n + 1], '^%d+'))
        if not seen or seen < now - kSilentLoopKept then
            call('HDEL', K .. 'daemons', fieldsAndTexts[n])
        end
    end
end

local function forget(daemon)
    for _, field in ipairs(call('HKEYS', K .. 'daemons')) do
        if sub(field, 1, #daemon + 1) == daemon .. ' ' then
            call('HDEL', K .. 'daemons', field)
        end
    end
end

forgetSilentLoops()
return answerEach(3, function(daemon, loop, state)
    if loop == '' then
        forget(daemon)
    else
        call('HSET', K .. 'daemons', daemon .. ' ' .. loop, string.format('%.0f %s', now, state))
        call('EXPIRE', K .. 'daemons', kHashTtl)
    end
    return 'ok'
end)
