-- What a mailbox may hold, and all of them together. Of a `wish` (lib/insert.lua) it knows `limit`
-- (messages), `bytes`, `total` (messages of all mailboxes), 0 = no limit, messages that wait for their
-- time included; and `makesRoom`: a full mailbox ends its oldest messages that a device has.
--
-- Needs  ahead: aheadInAll aheadOf; complete: complete; job: find; weight: weightOf
-- Gives  ended lacksRoom

local kRoomMade = 100  -- messages ended at a time, so that a full mailbox is not asked each time

-- Ends the oldest messages of a full mailbox that a device has, so that `waiting` becomes less.
local ended = {}
local function makeRoom(box, waiting)
    for _, id in ipairs(call('ZRANGE', box, 0, kRoomMade - 1)) do
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

-- Why the message has no room, or nothing.
local function lacksRoom(job, record, wish)
    local waiting, ahead = call('ZCARD', job.box), aheadOf(job.recipient)
    if wish.limit > 0 and waiting + ahead >= wish.limit and wish.makesRoom then
        waiting = makeRoom(job.box, waiting)
    end
    if wish.limit > 0 and waiting + ahead >= wish.limit then
        return 'mailbox_full'
    end
    local function isTooHeavy()
        return #record + weightOf(job.recipient, job.box, waiting, ahead, wish.bytes - #record) > wish.bytes
    end
    if wish.bytes > 0 and isTooHeavy() then
        if not wish.makesRoom or makeRoom(job.box, waiting) == waiting then
            return 'mailbox_full'
        end
        waiting = call('ZCARD', job.box)
        if isTooHeavy() then
            return 'mailbox_full'
        end
    end
    return wish.total > 0 and call('ZCARD', K .. 'held') + aheadInAll() >= wish.total and 'store_full' or nil
end
