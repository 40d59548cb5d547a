-- The once keys: which id was stored under a key, remembered for `ms` at least and twice that at
-- most. One hash for each span of `ms`, and a look at the current one and the one before it: a
-- string with a time to live for each key would take twice the memory.
--
-- Gives  recallOnce rememberOnce
--#include lib/base.lua

local function onceHash(ms, back)
    return K .. 'once:' .. string.format('%d:%d', ms, math.floor(now / ms) - back)
end

-- For each key the id that was stored under it, or false.
local function recallOnce(keys, ms)
    local current = call('HMGET', onceHash(ms, 0), unpack(keys))
    if call('EXISTS', onceHash(ms, 1)) == 0 then
        return current
    end
    local before = call('HMGET', onceHash(ms, 1), unpack(keys))
    for n = 1, #keys do
        current[n] = current[n] or before[n]
    end
    return current
end

-- `pairs` is key, id, key, id ...
local function rememberOnce(pairs, ms)
    local hash = onceHash(ms, 0)
    call('HSET', hash, unpack(pairs))
    call('PEXPIRE', hash, string.format('%d', 2 * ms), 'NX')
end
