#!lua flags=allow-oom
--[[
claim_for_device -- give out the messages that one device lacks.

Transition   none: they stay held; the device is leased        (docs/job-lifecycle.md, "Every device")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    recipient
    device
    token      of the batch before, to go on with it, or 0
    max        jobs
    bytes      of their records, 0 = any
    lease      of the device, ms
    keep       how long the device is remembered at least, ms

Returns  for each request an empty list (or now and which topic wants a slot of other shards,
         lib/topic_limits.lua), or the token and a list: now, then for each job id, now, the device's failures,
         record

Touches  devices:* boxes busy:* wake; reads box:* lease j:* paused limits rate slots:*

Why      Each device has its own order and its own delivery run, so one that cannot be reached holds up no
         other. A message that somebody has leased from the mailbox, and one whose topic is paused,
         holds up what is behind it.
]]
--#include lib/lease.lua
--#include lib/devices.lua
guard({lease = 'zset', boxes = 'zset'})
local kBlockedRetryMs = 60000  -- until what a topic or somebody's lease holds up is tried again
local wantedSlotsReply  -- the reply when all slots of a topic are on other shards

-- The messages that may be given out, in order: rows, until when what is noted of the
-- device is kept, and whether something is in their way.
local function gather(ids, failures, max, bytes, keep)
    local rows, keepUntil, size, blocked = {ARGV[1]}, now + keep, 0, false
    local leased = call('ZMSCORE', K .. 'lease', unpack(ids))
    for n, record in ipairs((fetch(ids))) do
        local terms = record and termsOf(record)
        local topic = record and restricted and topicOf(record)
        if leased[n] or (topic and roomOf(topic) < 1) then
            blocked = true
            local quota = topic and quotaOf(topic)
            if quota and quota.full and quota.borrows and quota.slots == 0 then
                wantedSlotsReply = {ARGV[1] .. ' 1 ' .. topic}
            end
            break
        end
        if terms and terms.unexpired then
            size = size + #record
            if #rows > 1 and (bytes > 0 and size > bytes or #rows > 4 * max) then
                break
            end
            if terms.hasExpiry then
                local _, expires = timesOf(record)
                keepUntil = math.max(keepUntil, expires)
            end
            local at = #rows
            rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4] = ids[n], ARGV[1], tostring(failures), record
        end
    end
    return rows, keepUntil, blocked
end

local function claim(recipient, device, token, max, bytes, lease, keep)
    local state = deviceOf(recipient, device)
    if state.leaseEnds > now and state.token ~= token then
        return {}
    end
    local after = string.format('(%.0f', state.arrival)
    local ids = call('ZRANGEBYSCORE', K .. 'box:' .. recipient, after, '+inf', 'LIMIT', 0, max)
    local rows, keepUntil, blocked = {}, now + keep, false
    wantedSlotsReply = nil
    if #ids > 0 then
        rows, keepUntil, blocked = gather(ids, state.failures, max, bytes, keep)
    end
    local hasMessages = #rows > 1
    if hasMessages or state.leaseEnds > now then
        state.token = state.token + (hasMessages and 1 or 0)
        state.leaseEnds, state.next = hasMessages and now + lease or 0, 0
        writeDevice(recipient, device, state, keepUntil)
    end
    if not hasMessages then
        if #ids > 0 then  -- what has expired is about to be taken away
            tryNoLaterThan(recipient, now + (blocked and kBlockedRetryMs or kGrace))
        end
        return wantedSlotsReply or {}
    end
    tryNoLaterThan(recipient, state.leaseEnds + kGrace)
    return {string.format('%.0f', state.token), rows}
end

return answerEach(7, function(recipient, device, token, max, bytes, lease, keep)
    return claim(recipient, device, tonumber(token), tonumber(max), tonumber(bytes), tonumber(lease), tonumber(keep))
end)
