-- How many bytes of records a mailbox holds, those of reserved places included, kept only where there is a limit, and
-- noted only when a message comes to others: what comes to an empty mailbox is all that it holds. The hash
-- `weights:<day>` has "<bytes> <messages>" by recipient. A push to a mailbox that is noted adds to it and nobody takes
-- away, so it is never too little; when it would refuse a message, it is counted anew, but not twice for the same
-- messages. A look goes to the hash of today and the one before, so what no push has added to for a day is counted
-- anew, in case somebody has restored a message. One hash, because a batch reads and writes it at once for all of its
-- mailboxes.
--
-- Gives  isAnyNoted notedWeights formatWeight parseWeight noteWeights forgetWeights
--#include lib/base.lua

local kDay = 86400000  -- ms

local function weightsHash(daysBack)
    return K .. 'weights:' .. string.format('%d', math.floor(now / kDay) - daysBack)
end

-- Most stores have noted nothing at all.
local function isAnyNoted()
    return call('EXISTS', weightsHash(0), weightsHash(1)) > 0
end

-- What is noted for each recipient, or false.
local function notedWeights(recipients)
    local noted = call('HMGET', weightsHash(0), unpack(recipients))
    for n = 1, #recipients do
        if not noted[n] then
            local before = call('HMGET', weightsHash(1), unpack(recipients))
            for m = n, #recipients do
                noted[m] = noted[m] or before[m]
            end
            break
        end
    end
    return noted
end

local function formatWeight(bytes, messages)
    return string.format('%d %d', bytes, messages)
end

local function parseWeight(noted)
    local bytes, messages = string.match(noted or '', '^(%d+) (%d+)$')
    return tonumber(bytes), tonumber(messages)
end

-- `entries` is recipient, weight, recipient, weight ...
local function noteWeights(entries)
    call('HSET', weightsHash(0), unpack(entries))
    call('PEXPIRE', weightsHash(0), 2 * kDay, 'NX')
end

local function forgetWeights(recipients)
    call('HDEL', weightsHash(0), unpack(recipients))
    call('HDEL', weightsHash(1), unpack(recipients))
end
