-- How much room there is in the mailboxes and in the store: what push_mailbox asks for a whole batch, and
-- lib/mailbox_limits.lua, which says what `options` have, for one message.
--
-- Needs  weights: parseWeight formatWeight noteWeights
-- Gives  reservedInAll reservedIn weightOf fillsStore
--#include lib/weights.lua

local function reservedInAll()
    return call('ZCARD', K .. 'ahead')
end

local function reservedIn(recipient)
    return call('ZLEXCOUNT', K .. 'ahead', '[' .. recipient .. '\0', '(' .. recipient .. '\1')
end

-- `count` ids of them, from the one at place `from` on; the first is 0.
local function reservedIds(recipient, from, count)
    local ids = call('ZRANGEBYLEX', K .. 'ahead', '[' .. recipient .. '\0', '(' .. recipient .. '\1',
                     'LIMIT', from, count)
    for n, member in ipairs(ids) do
        ids[n] = sub(member, #recipient + 2)
    end
    return ids
end

local function bytesOf(ids)
    local bytes = 0
    for _, group in ipairs(groupByHash(ids)) do
        for n = 1, #group.fields do
            bytes = bytes + call('HSTRLEN', group.key, group.fields[n])
        end
    end
    return bytes
end

-- Of the `waiting` messages of a mailbox and the `reserved` places, for which `noted` is noted: their bytes, and of
-- how many messages they are; exact when it is over `enough`.
local function weightOf(recipient, box, waiting, reserved, enough, noted)
    if waiting + reserved == 0 then
        return 0, 0
    end
    local bytes, messages = parseWeight(noted)
    -- A note of fewer messages lacks some that have come another way, by a hold or a restore.
    if bytes and messages >= waiting + reserved and (bytes <= enough or messages == waiting + reserved) then
        return bytes, messages
    end
    bytes = 0
    for from = 0, waiting - 1, 500 do
        bytes = bytes + bytesOf(call('ZRANGE', box, from, from + 499))
    end
    for from = 0, reserved - 1, 500 do
        bytes = bytes + bytesOf(reservedIds(recipient, from, 500))
    end
    noteWeights({recipient, formatWeight(bytes, waiting + reserved)})
    return bytes, waiting + reserved
end

-- Bytes of a message besides its record: its set entries, and the mailbox of a recipient with one
-- message.
local kOverheadPerMessage = 512
-- Counting so many takes noticeable time, so no more are counted, and that once in ten minutes at most.
local kMostMessagesCounted, kRecountIntervalMs = 250000, 600000

local function countHeldBytes(held, reserved)
    local bytes = 0
    for from = 0, held - 1, 500 do
        bytes = bytes + bytesOf(call('ZRANGE', K .. 'held', from, from + 499))
    end
    for from = 0, reserved - 1, 500 do
        local ids = call('ZRANGE', K .. 'ahead', from, from + 499)
        for n, member in ipairs(ids) do
            ids[n] = string.match(member, '[^%z]*$')
        end
        bytes = bytes + bytesOf(ids)
    end
    call('HSET', K .. 'held_bytes', 'bytes', string.format('%.0f', bytes), 'counted', ARGV[1])
    return bytes
end

-- Whether `messages` more, with `bytes` of records, would exceed the limits of the store.
local function fillsStore(options, messages, bytes)
    local maxBytes = options.totalBytes or 0
    if options.total == 0 and maxBytes == 0 then
        return false
    end
    local held, reserved = call('ZCARD', K .. 'held'), reservedInAll()
    local messagesAfter = held + reserved + messages
    if options.total > 0 and messagesAfter > options.total then
        return true
    end
    local noted = maxBytes > 0 and call('HMGET', K .. 'held_bytes', 'bytes', 'counted')
    local function isOver(bytesBefore)
        return math.max(bytesBefore, 0) + bytes + messagesAfter * kOverheadPerMessage > maxBytes
    end
    local bytesBefore, countedAt = noted and tonumber(noted[1]) or 0, noted and tonumber(noted[2])
    if maxBytes == 0 or (countedAt and not isOver(bytesBefore)) then
        return false
    end
    local isFresh = countedAt and held + reserved > 0 and math.abs(now - countedAt) < kRecountIntervalMs
    if not isFresh and held + reserved <= kMostMessagesCounted then
        bytesBefore = countHeldBytes(held, reserved)
    end
    return isOver(bytesBefore)
end
