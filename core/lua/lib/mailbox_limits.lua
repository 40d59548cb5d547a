-- The limits of a mailbox, and of all mailboxes together. Of `options` (lib/insert.lua) it knows
-- `limit` (messages), `bytes`, `total` (messages of all mailboxes) and `totalBytes` (theirs), 0 =
-- no limit, messages that wait for their time included; and `makesRoom`: a full mailbox ends its
-- oldest messages that a device has.
--
-- Needs  complete: complete; held_bytes: addHeldBytes; job: find; mailbox_room: reservedIn weightOf
--        fillsStore; weights: notedWeights parseWeight formatWeight noteWeights forgetWeights
-- Gives  reservePlace addWeight endedForRoom roomRefusal
--#include lib/complete.lua
--#include lib/held_bytes.lua
--#include lib/weights.lua
--#include lib/mailbox_room.lua

-- Messages that wait for their time in the lanes have their places in their mailboxes reserved: the sorted set
-- `ahead`, every score 0, with "<recipient>", NUL, "<id>". Neither has control characters. leaveSet() of lib/job.lua
-- takes them out.
local function reservePlace(job)
    addHeldBytes(job.bytes)
    call('ZADD', K .. 'ahead', '0', job.recipient .. '\0' .. job.id)
end

-- One message more in a mailbox, of which roomRefusal() has been asked.
local function addWeight(recipient, addedBytes)
    local bytes, messages = parseWeight(notedWeights({recipient})[1])
    if bytes then
        noteWeights({recipient, formatWeight(bytes + addedBytes, messages + 1)})
    end
end

local kMessagesEndedPerPush = 100  -- messages ended at a time, so that this is not done at each push to a full mailbox

-- Ends the oldest messages of a full mailbox that a device has, so that `waiting` becomes less.
local endedForRoom = {}
local function makeRoom(box, waiting)
    for _, id in ipairs(call('ZRANGE', box, 0, kMessagesEndedPerPush - 1)) do
        local job = tonumber(call('HGET', K .. 'taken', id) or 0) > 0 and find(id)
        if not job or job.state ~= 'held' then
            return waiting
        end
        complete(job, '0')
        endedForRoom[#endedForRoom + 1] = id
        waiting = waiting - 1
    end
    return waiting
end

-- Why the message has no room, or nothing. With `makesRoom` it ends messages of a full mailbox (endedForRoom) first; what
-- it has counted anew is noted.
local function roomRefusal(job, record, options)
    local waiting, reserved = call('ZCARD', job.box), reservedIn(job.recipient)
    if options.limit > 0 and waiting + reserved >= options.limit and options.makesRoom then
        waiting = makeRoom(job.box, waiting)
    end
    if options.limit > 0 and waiting + reserved >= options.limit then
        return 'mailbox_full'
    end
    local function isTooHeavy()
        local notedWeight = notedWeights({job.recipient})[1]
        if notedWeight and waiting + reserved == 0 then
            forgetWeights({job.recipient})
            notedWeight = nil
        end
        return #record + weightOf(job.recipient, job.box, waiting, reserved, options.bytes - #record, notedWeight) > options.bytes
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
