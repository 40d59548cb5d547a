-- The limits of a mailbox, and of all mailboxes together. Of `options` (lib/insert.lua) it knows
-- `limit` (messages), `bytes`, `total` (messages of all mailboxes) and `totalBytes` (theirs), 0 =
-- no limit, messages that wait for their time included; and `makesRoom`: a full mailbox ends its
-- oldest messages that a device has.
--
-- Needs  complete: complete; held_bytes: addHeldBytes; job: find; weights: notedWeights parseWeight formatWeight
--        noteWeights forgetWeight
-- Gives  reservePlace reservedInAll reservedIn weightOf addWeight ended fillsStore lacksRoom
--#include lib/complete.lua
--#include lib/held_bytes.lua
--#include lib/weights.lua

-- Messages that wait for their time in the lanes have their places in their mailboxes reserved: the sorted set
-- `ahead`, every score 0, with "<recipient>", NUL, "<id>". Neither has control characters. leaveSet() of lib/job.lua
-- takes them out.
local function reservePlace(job)
    addHeldBytes(job.bytes)
    call('ZADD', K .. 'ahead', '0', job.recipient .. '\0' .. job.id)
end

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
    noteWeights({recipient, formatWeight(bytes, waiting + reserved)})
    return bytes, waiting + reserved
end

-- One message more in a mailbox, of which lacksRoom() has been asked.
local function addWeight(recipient, more)
    local bytes, messages = parseWeight(notedWeights({recipient})[1])
    noteWeights({recipient, formatWeight((bytes or 0) + more, (messages or 0) + 1)})
end

local kMessagesEndedPerPush = 100  -- messages ended at a time, so that this is not done at each push to a full mailbox

-- Ends the oldest messages of a full mailbox that a device has, so that `waiting` becomes less.
local ended = {}
local function makeRoom(box, waiting)
    for _, id in ipairs(call('ZRANGE', box, 0, kMessagesEndedPerPush - 1)) do
        local old = tonumber(call('HGET', K .. 'taken', id) or 0) > 0 and find(id)
        if not old or old.state ~= 'held' then
            return waiting
        end
        complete(old, '0')
        ended[#ended + 1] = id
        waiting = waiting - 1
    end
    return waiting
end

-- Bytes of a message besides its record: its set entries, and the mailbox of a recipient with one
-- message.
local kOverheadPerMessage = 512
-- Counting so many takes noticeable time, so it is done once in ten minutes at most.
local kMostMessagesCounted, kRecountInterval = 250000, 600000

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
    local most = options.totalBytes or 0
    if options.total == 0 and most == 0 then
        return false
    end
    local held, reserved = call('ZCARD', K .. 'held'), reservedInAll()
    local all = held + reserved + messages
    if options.total > 0 and all > options.total then
        return true
    end
    local noted = most > 0 and call('HMGET', K .. 'held_bytes', 'bytes', 'counted')
    local function isOver(before)
        return math.max(before, 0) + bytes + all * kOverheadPerMessage > most
    end
    local before, counted = noted and tonumber(noted[1]) or 0, noted and tonumber(noted[2])
    if most == 0 or (counted and not isOver(before)) then
        return false
    end
    local isFresh = counted and held + reserved > 0 and math.abs(now - counted) < kRecountInterval
    if not isFresh and held + reserved <= kMostMessagesCounted then
        before = countHeldBytes(held, reserved)
    end
    return isOver(before)
end

-- Why the message has no room, or nothing.
local function lacksRoom(job, record, options)
    local waiting, reserved = call('ZCARD', job.box), reservedIn(job.recipient)
    if options.limit > 0 and waiting + reserved >= options.limit and options.makesRoom then
        waiting = makeRoom(job.box, waiting)
    end
    if options.limit > 0 and waiting + reserved >= options.limit then
        return 'mailbox_full'
    end
    local function isTooHeavy()
        if waiting + reserved == 0 then
            forgetWeight(job.recipient)
        end
        local noted = notedWeights({job.recipient})[1]
        return #record + weightOf(job.recipient, job.box, waiting, reserved, options.bytes - #record, noted) > options.bytes
    end
    if options.bytes > 0 and isTooHeavy() then
        if not options.makesRoom or makeRoom(job.box, waiting) == waiting then
            return 'mailbox_full'
        end
        waiting = call('ZCARD', job.box)
        if isTooHeavy() then
            return 'mailbox_full'
        end
    end
    return fillsStore(options, 1, #record) and 'store_full' or nil
end
