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
         A loop that hangs in a daemon that lives stays; one that was last heard before that daemon began is
         of an earlier process of its name.
]]
--#include lib/base.lua
guard({daemons = 'hash'})

local kSilentLoopKept = 3600000  -- ms after its last heartbeat for which a loop is kept
local kHashTtl = 86400  -- s for which the hash is kept after the last heartbeat

-- A list of the loops, and when each daemon that has been heard lately began.
local function readLoops()
    local fieldsAndTexts = call('HGETALL', K .. 'daemons')
    local loops, begun = {}, {}
    for n = 1, #fieldsAndTexts, 2 do
        local field, text = fieldsAndTexts[n], fieldsAndTexts[n + 1]
        local seen, since = string.match(text, '^(%d+) (%d+)')
        local one = {field = field, daemon = string.match(field, '^[^ ]*'), seen = tonumber(seen)}
        one.silent = not one.seen or one.seen < now - kSilentLoopKept
        if not one.silent then
            begun[one.daemon] = math.min(begun[one.daemon] or math.huge, tonumber(since))
        end
        loops[#loops + 1] = one
    end
    return loops, begun
end

local function forgetSilentLoops()
    local loops, begun = readLoops()
    for _, one in ipairs(loops) do
        local hangs = one.seen and begun[one.daemon] and one.seen >= begun[one.daemon]
        if one.silent and not hangs then
            call('HDEL', K .. 'daemons', one.field)
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

local replies = answerEach(3, function(daemon, loop, state)
    if loop == '' then
        forget(daemon)
    else
        call('HSET', K .. 'daemons', daemon .. ' ' .. loop, string.format('%.0f %s', now, state))
        call('EXPIRE', K .. 'daemons', kHashTtl)
    end
    return 'ok'
end)
forgetSilentLoops()
return replies
