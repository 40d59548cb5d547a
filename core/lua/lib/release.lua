-- Making a mailbox due before its time. It is noted in `came` while a delivery run has some of its messages leased:
-- that run would postpone the mailbox when it ends.
--
-- Needs  came: kCameTtl kMessagesChecked; devices: makeDevicesDue; outbox: setNextAttempt
-- Gives  releaseMailbox releaseMailboxOf
--#include lib/came.lua
--#include lib/devices.lua

local function releaseMailbox(recipient, isDelivered)
    makeDevicesDue(recipient)
    if isDelivered then
        call('SET', K .. 'came:' .. recipient, ARGV[1], 'PX', kCameTtl)
    end
    setNextAttempt(recipient, now)
end

local function hasLease(box)
    local ids = call('ZRANGE', box, 0, kMessagesChecked - 1)
    for _, deadline in ipairs(#ids > 0 and call('ZMSCORE', K .. 'lease', unpack(ids)) or {}) do
        if deadline then
            return true
        end
    end
    return false
end

local releasedRecipients = {}  -- by this call: once does for all of their messages

-- Makes the mailbox due in which the message is held.
local function releaseMailboxOf(job)
    if not releasedRecipients[job.recipient] then
        releaseMailbox(job.recipient, hasLease(job.box))
        releasedRecipients[job.recipient] = true
    end
end
