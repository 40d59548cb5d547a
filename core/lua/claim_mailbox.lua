#!lua flags=allow-oom
--[[
claim_mailbox -- give out the oldest messages of a mailbox.

Transition   held -> leased        (docs/job-lifecycle.md, row "claim_mailbox")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    recipient
    max        jobs
    bytes      of their records, 0 = any; one is given out in any case

Returns  for each request a flat list: now (and which topic wants a slot of other shards, lib/topic_limits.lua),
         then for each job id, due score, past attempts, record

Touches  box:* boxes came:* held lease past j:* events wake; paused limits rate busy:* parked:*; reads slots:*

Why      A mailbox has one delivery run: while one of its messages is leased nothing is given out, and a
         lease that has run out counts until it is reaped, or order would be lost. Either way the
         mailbox's next attempt moves behind the leases, so that nobody asks in vain. What its topic's
         pause or limits hold back is parked: tried again when they give way, or in a minute.
]]
--#include lib/lease.lua
guard({lease = 'zset', boxes = 'zset', held = 'zset', past = 'hash', forgotten = 'hash', events = 'stream'})
if restricted then
    guard({paused = 'hash', limits = 'hash', rate = 'hash'})
end
local kParked = 60000  -- ms until a parked mailbox is tried again whatever happens
local kLooked = 200  -- leased messages are the oldest, so these are enough to see one
local kGrace = 1000  -- ms for the reaper to act before the mailbox is tried again

local function postpone(recipient, deadline)
    tryMailbox(recipient, math.max(deadline, now) + kGrace, 'XX')
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

-- May a message of this topic be given out beside those that will be?
local function admits(topic, scored, blocking)
    scored[topic] = scored[topic] or {}
    if roomOf(topic) > #scored[topic] / 2 then
        return true
    end
    blocking[topic] = true
    return false
end

local function park(recipient, blocking)
    local next = now + kParked
    for topic in pairs(blocking) do
        local quota = quotaOf(topic)
        if quota.paused or quota.full then
            call('ZADD', K .. 'parked:' .. topic, now, recipient)
        end
        if quota.opens then
            next = math.min(next, quota.opens > now and quota.opens or now + kReaperTurn)
        end
    end
    tryMailbox(recipient, next, 'XX')
end

-- The first topic that holds something back only because all its slots are on other shards.
local function wantingOf(blocking)
    for topic in pairs(blocking) do
        local quota = quotaOf(topic)
        if quota.full and quota.borrows and quota.slots == 0 then
            return {ARGV[1] .. ' 1 ' .. topic}
        end
    end
    return {}
end

-- Whether the record has its place beside those of `live`. Once one has not, none behind it has.
local function fits(record, live)
    live.bytes = live.bytes + #record
    live.full = live.full or (live.most > 0 and #live > 0 and live.bytes > live.most)
    return not live.full
end

-- Adds the messages of `ids` that may be given out; ids whose record is gone leave the box. `scored`
-- and `blocking` are for topics: what is given out, and which hold something back.
local function sift(box, ids, max, live, scored, blocking)
    for n, record in ipairs((fetch(ids))) do
        local its = record and termsOf(record)
        if not record then
            call('ZREM', box, ids[n])
        elseif its.live and #live < max and fits(record, live) then
            local topic = restricted and topicOf(record)
            if not restricted or admits(topic, scored, blocking) then
                live[#live + 1] = {id = ids[n], record = record, deadline = its.deadline}
                if restricted then
                    table.insert(scored[topic], its.deadline)
                    table.insert(scored[topic], ids[n])
                end
            end
        end
    end
end

local function lease(live)
    local zadd, ids, rows, latest = {'ZADD', K .. 'lease'}, {}, {}, 0
    for n, job in ipairs(live) do
        ids[n] = job.id
        latest = math.max(latest, tonumber(job.deadline))
        zadd[2 * n + 1], zadd[2 * n + 2] = job.deadline, job.id
        local at = 4 * (n - 1)
        rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4] = job.id, ARGV[1], '0', job.record
    end
    addTo(zadd, 'leases')
    call('ZREM', K .. 'held', unpack(ids))
    notePast(rows)
    append('claim', byHash(ids), nil, nil, function() return {'from', 'held'} end)
    return {ARGV[1], unpack(rows)}, latest
end

local function claim(recipient, max, most)
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
    local live, scored, blocking = {bytes = 0, most = most}, {}, {}
    for i = 1, #ids, max do
        if #live < max and not live.full then
            sift(box, {unpack(ids, i, math.min(i + max - 1, #ids))}, max, live, scored, blocking)
        end
    end
    if #live == 0 then
        if not next(blocking) then
            postpone(recipient, now)
            return {}
        end
        park(recipient, blocking)
        return wantingOf(blocking)
    end
    call('DEL', K .. 'came:' .. recipient)
    local reply, latest = lease(live)
    for topic, its in pairs(scored) do
        if #its > 0 then
            useQuota(topic, its)
        end
    end
    postpone(recipient, latest)
    return reply
end

return answerEach(3, function(recipient, max, bytes)
    return claim(recipient, tonumber(max), tonumber(bytes))
end)
