#!lua flags=allow-oom
--[[
claim_mailbox -- give out the oldest messages of a mailbox.

Transition   held -> leased        (docs/job-lifecycle.md, row "claim_mailbox")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
then for each request:
    recipient
    max        jobs

Returns  for each request a flat list: id, due score, past attempts, record, lease deadline,
         id, ...

Touches  box:* boxes held lease past j:* events wake

Why      A mailbox has one flusher: while one of its messages is leased nothing is given out, and a
         lease that has run out counts until it is reaped, or order would be lost. Either way the
         mailbox's next attempt moves behind the leases, so that nobody asks in vain.
]]
--#include lib/base.lua
--#include lib/outbox.lua
guard({lease = 'zset', boxes = 'zset', held = 'zset', past = 'hash', events = 'stream'})
local kLooked = 200  -- leased messages are the oldest, so these are enough to see one
local kGrace = 1000  -- ms for the reaper to act before the mailbox is tried again

local function postpone(recipient, deadline)
    call('ZADD', K .. 'boxes', 'XX', math.max(deadline, now) + kGrace, recipient)
end

local function latestLease(ids)
    local latest
    for _, deadline in ipairs(call('ZMSCORE', K .. 'lease', unpack(ids))) do
        if deadline then
            latest = math.max(latest or 0, tonumber(deadline))
        end
    end
    return latest
end

-- Adds the messages of `ids` that may be given out; ids whose record is gone leave the box.
local function sift(box, ids, max, live)
    local records = fetch(ids)
    for n, record in ipairs(records) do
        local ttr, expires
        if record then
            ttr, expires = timesOf(record)
        else
            call('ZREM', box, ids[n])
        end
        if ttr and (expires == 0 or expires > now) and #live < max then
            live[#live + 1] = {id = ids[n], record = record, deadline = now + ttr}
        end
    end
end

local function lease(live)
    local ids, latest, reply = {}, 0, {}
    for n, job in ipairs(live) do
        ids[n] = job.id
        latest = math.max(latest, job.deadline)
        local nearer = leads(K .. 'lease', job.deadline)
        call('ZADD', K .. 'lease', job.deadline, job.id)
        if nearer then
            wake('leases', job.deadline)
        end
    end
    call('ZREM', K .. 'held', unpack(ids))
    local past = call('HMGET', K .. 'past', unpack(ids))
    for n, job in ipairs(live) do
        local at = 5 * (n - 1)
        reply[at + 1], reply[at + 2] = job.id, ARGV[1]
        reply[at + 3], reply[at + 4] = past[n] or '0', job.record
        reply[at + 5] = string.format('%.0f', job.deadline)
    end
    append('claim', ids)
    return reply, latest
end

local function claim(recipient, max)
    local box = K .. 'box:' .. recipient
    local ids = call('ZRANGE', box, 0, math.max(max, kLooked) - 1)
    if #ids == 0 then
        call('ZREM', K .. 'boxes', recipient)
        return {}
    end
    local busy = latestLease(ids)
    if busy then
        postpone(recipient, busy)
        return {}
    end
    local live = {}
    for i = 1, #ids, max do
        if #live < max then
            sift(box, {unpack(ids, i, math.min(i + max - 1, #ids))}, max, live)
        end
    end
    if #live == 0 then
        postpone(recipient, now)
        return {}
    end
    local reply, latest = lease(live)
    postpone(recipient, latest)
    return reply
end

local replies = {}
for i = 3, #ARGV, 2 do
    replies[#replies + 1] = claim(ARGV[i], tonumber(ARGV[i + 1]))
end
return replies
