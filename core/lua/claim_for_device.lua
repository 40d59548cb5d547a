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

Touches  devices:* boxes wake, rate busy:* where topics have limits; reads box:* lease j:* paused limits slots:*

Why      Each device has its own order and its own delivery run, so one that cannot be reached holds up no
         other. A message that somebody has leased from the mailbox, and one whose topic is paused or has no
         room in its limits, holds up what is behind it. What is given out uses up the rate of its topic; it takes no
         slot, because the message stays held, but a batch has no more of a topic than it has free slots.
]]
--#include lib/lease.lua
--#include lib/devices.lua
guard({lease = 'zset', boxes = 'zset'})
local kBlockedRetryMs = 60000  -- until what a topic or somebody's lease holds up is tried again
local wantedSlotsReply  -- the reply when all slots of a topic are on other shards

-- When what the limits of a topic hold up, or somebody's lease, is tried again.
local function blockedUntil(quota)
    local opens = quota and quota.opens
    if not opens then
        return now + kBlockedRetryMs
    end
    return math.min(now + kBlockedRetryMs, opens > now and opens or now + kReaperTurn)
end

-- The messages that may be given out, in order: rows, until when what is noted of the device is kept, how many there
-- are of each topic, if something is restricted, and until when something is in their way.
local function gather(ids, failures, max, bytes, keep)
    local rows, keepUntil, size, counts, blocked = {ARGV[1]}, now + keep, 0, {}, nil
    local leased = call('ZMSCORE', K .. 'lease', unpack(ids))
    for n, record in ipairs((fetch(ids))) do
        local terms = record and termsOf(record)
        local topic = record and restricted and topicOf(record)
        if leased[n] or (topic and roomOf(topic) <= (counts[topic] or 0)) then
            local quota = topic and quotaOf(topic)
            blocked = blockedUntil(quota)
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
            if topic then
                counts[topic] = (counts[topic] or 0) + 1
            end
        end
    end
    return rows, keepUntil, counts, blocked
end

local function claim(recipient, device, token, max, bytes, lease, keep)
    local state = deviceOf(recipient, device)
    if state.leaseEnds > now and state.token ~= token then
        return {}
    end
    local after = string.format('(%.0f', state.arrival)
    local ids = call('ZRANGEBYSCORE', K .. 'box:' .. recipient, after, '+inf', 'LIMIT', 0, max)
    local rows, keepUntil, counts, blocked = {}, now + keep, {}, nil
    wantedSlotsReply = nil
    if #ids > 0 then
        rows, keepUntil, counts, blocked = gather(ids, state.failures, max, bytes, keep)
    end
    local hasMessages = #rows > 1
    if hasMessages or state.leaseEnds > now then
        state.token = state.token + (hasMessages and 1 or 0)
        state.leaseEnds, state.next = hasMessages and now + lease or 0, 0
        writeDevice(recipient, device, state, keepUntil)
    end
    if not hasMessages then
        if #ids > 0 then  -- what has expired is about to be taken away
            tryNoLaterThan(recipient, blocked or now + kGrace)
        end
        return wantedSlotsReply or {}
    end
    for topic, count in pairs(counts) do
        spendRate(topic, count)
        quotas[topic] = nil  -- what is left now
    end
    tryNoLaterThan(recipient, state.leaseEnds + kGrace)
    return {string.format('%.0f', state.token), rows}
end

return answerEach(7, function(recipient, device, token, max, bytes, lease, keep)
    return claim(recipient, device, tonumber(token), tonumber(max), tonumber(bytes), tonumber(lease), tonumber(keep))
end)
