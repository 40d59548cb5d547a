-- How much room there is in the mailboxes and in the store: what push_mailbox asks for a whole batch, and
-- lib/mailbox_limits.lua, which says what a `wish` has, for one message.
--
-- Needs  held_bytes: largestRecord setLargest; weights: parseWeight printWeight noteWeights
-- Gives  reservedInAll reservedIn weightOf sureToFit fillsStore
--#include lib/held_bytes.lua
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

-- The bytes of the records of these ids, and of the largest one.
local function bytesOf(ids)
    local bytes, most = 0, 0
    for _, group in ipairs(groupByHash(ids)) do
        for n = 1, #group.fields do
            local length = call('HSTRLEN', group.key, group.fields[n])
            bytes, most = bytes + length, math.max(most, length)
        end
    end
    return bytes, most
end

-- Of the `waiting` messages of a mailbox and the `reserved` places, for which `noted` is noted: their bytes, and of
-- how many messages they are; exact when it is over `enough`.
local function weightOf(recipient, box, waiting, reserved, enough, noted)
    if waiting + reserved == 0 then
        return 0, 0
    end
    local bytes, messages = parseWeight(noted)
    if bytes and (bytes <= enough or messages == waiting + reserved) then
        return bytes, messages
    end
    bytes = 0
    for from = 0, waiting - 1, 500 do
        bytes = bytes + bytesOf(call('ZRANGE', box, from, from + 499))
    end
    for from = 0, reserved - 1, 500 do
        bytes = bytes + bytesOf(reservedIds(recipient, from, 500))
    end
    noteWeights({recipient, printWeight(bytes, waiting + reserved)})
    return bytes, waiting + reserved
end

-- Bytes of a message besides its record: its set entries, and the mailbox of a recipient with one
-- message.
local kOverheadPerMessage = 512
-- Counting so many takes noticeable time, so it is done once in ten minutes at most.
local kMostMessagesCounted, kRecountInterval = 250000, 600000

-- The bytes of the records of all messages that wait, and of the largest one.
local function measureHeld(held, reserved)
    local bytes, most = 0, 0
    local function add(ids)
        local more, largest = bytesOf(ids)
        bytes, most = bytes + more, math.max(most, largest)
    end
    for from = 0, held - 1, 500 do
        add(call('ZRANGE', K .. 'held', from, from + 499))
    end
    for from = 0, reserved - 1, 500 do
        local ids = call('ZRANGE', K .. 'ahead', from, from + 499)
        for n, member in ipairs(ids) do
            ids[n] = string.match(member, '[^%z]*$')
        end
        add(ids)
    end
    return bytes, most
end

local function countHeldBytes(held, reserved)
    local bytes = measureHeld(held, reserved)
    call('HSET', K .. 'held_bytes', 'bytes', string.format('%.0f', bytes), 'counted', ARGV[1])
    return bytes
end

-- Measures once how large the largest record with a place is, in a store of an earlier version, which has not noted it;
-- those that are leased have their places, too.
local function measureLargest()
    local held, reserved, leased = call('ZCARD', K .. 'held'), reservedInAll(), call('ZCARD', K .. 'lease')
    if held + reserved + leased > kMostMessagesCounted then
        return
    end
    local _, most = measureHeld(held, reserved)
    for from = 0, leased - 1, 500 do
        local _, largest = bytesOf(call('ZRANGE', K .. 'lease', from, from + 499))
        most = math.max(most, largest)
    end
    setLargest(most)
end

-- How many messages are within the limit of a mailbox whatever each of them has: none is larger than `bytes` or the
-- largest of the store.
local function sureToFit(bytes, limit)
    if largestRecord() == false then
        measureLargest()
    end
    return math.floor(limit / math.max(bytes, largestRecord() or math.huge))
end

-- Whether `messages` more, with `bytes` of records, would exceed the limits of the store.
local function fillsStore(wish, messages, bytes)
    local most = wish.totalBytes or 0
    if wish.total == 0 and most == 0 then
        return false
    end
    local held, reserved = call('ZCARD', K .. 'held'), reservedInAll()
    local all = held + reserved + messages
    if wish.total > 0 and all > wish.total then
        return true
    end
    local its = most > 0 and call('HMGET', K .. 'held_bytes', 'bytes', 'counted')
    local function isOver(before)
        return math.max(before, 0) + bytes + all * kOverheadPerMessage > most
    end
    local before, counted = its and tonumber(its[1]) or 0, its and tonumber(its[2])
    if most == 0 or (counted and not isOver(before)) then
        return false
    end
    local isFresh = counted and held + reserved > 0 and math.abs(now - counted) < kRecountInterval
    if not isFresh and held + reserved <= kMostMessagesCounted then
        before = countHeldBytes(held, reserved)
    end
    return isOver(before)
end
