-- Giving out the messages of mailboxes: what claim_mailbox and the SIP plugin's arrive share. A mailbox has one
-- delivery run: while one of its messages is leased nothing is given out, and a lease that has run out counts until
-- it is reaped, or order would be lost. Either way the mailbox's next attempt moves behind the leases, so that
-- nobody asks in vain. What its topic's pause or limits hold back is parked: tried again when they give way, or in a
-- minute.
--
-- Needs  held_bytes: addHeldBytes; topic_limits: kReaperTurn restricted quotaOf; lease: termsOf notePast roomOf
--        useQuota; devices: kGrace; outbox: appendEvent wake tryMailbox; topic: topicOf
-- Gives  guardMailboxes claimOldest appendClaims
--#include lib/held_bytes.lua
--#include lib/lease.lua
--#include lib/devices.lua

local kParkedRetry = 60000  -- ms until a parked mailbox is tried again in any case
local kMessagesChecked = 200  -- the oldest messages, which suffice to find leased ones

-- Refuses keys of foreign types.
local function guardMailboxes()
    guard({lease = 'zset', boxes = 'zset', held = 'zset', held_bytes = 'hash', past = 'hash', forgotten = 'hash',
           events = 'stream'})
    if restricted then
        guard({paused = 'hash', limits = 'hash', rate = 'hash'})
    end
end

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

-- Whether one more message of this topic may be given out.
local function hasRoom(topic, scored, blocking)
    scored[topic] = scored[topic] or {}
    if roomOf(topic) > #scored[topic] / 2 then
        return true
    end
    blocking[topic] = true
    return false
end

local function park(recipient, blocking)
    local next = now + kParkedRetry
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

-- The reply for a topic whose messages wait only because all its slots are on other shards.
local function wantedSlotsReply(blocking)
    for topic in pairs(blocking) do
        local quota = quotaOf(topic)
        if quota.full and quota.borrows and quota.slots == 0 then
            return {ARGV[1] .. ' 1 ' .. topic}
        end
    end
    return {}
end

-- Whether the record fits into the byte limit with those of `live`. After one that does not, none
-- does.
local function fits(record, live)
    live.bytes = live.bytes + #record
    live.full = live.full or (live.most > 0 and #live > 0 and live.bytes > live.most)
    return not live.full
end

-- Adds the messages of `ids` that may be given out; ids whose record is gone leave the box. `scored`
-- and `blocking` are for topics: what is given out, and which hold something back.
local function collect(box, ids, max, live, scored, blocking)
    for n, record in ipairs((fetch(ids))) do
        local terms = record and termsOf(record)
        if not record then
            call('ZREM', box, ids[n])
        elseif terms.live and #live < max and fits(record, live) then
            local topic = restricted and topicOf(record)
            if not restricted or hasRoom(topic, scored, blocking) then
                live[#live + 1] = {id = ids[n], record = record, deadline = terms.deadline}
                if restricted then
                    table.insert(scored[topic], terms.deadline)
                    table.insert(scored[topic], ids[n])
                end
            end
        end
    end
end

local given, deadlineBefore = {}, nil  -- ids given out by all requests; the earliest deadline before them

local function earliestDeadline()
    return call('ZRANGE', K .. 'lease', 0, 0, 'WITHSCORES')[2]
end

local function lease(live)
    if #given == 0 then
        deadlineBefore = earliestDeadline()
    end
    local zadd, ids, rows, latest, bytes = {'ZADD', K .. 'lease'}, {}, {}, 0, 0
    for n, job in ipairs(live) do
        ids[n] = job.id
        latest = math.max(latest, tonumber(job.deadline))
        bytes = bytes + #job.record
        zadd[2 * n + 1], zadd[2 * n + 2] = job.deadline, job.id
        local at = 4 * (n - 1)
        rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4] = job.id, ARGV[1], '0', job.record
    end
    call(unpack(zadd))
    if call('ZREM', K .. 'held', unpack(ids)) == #ids then
        addHeldBytes(-bytes)
    end
    for n = 1, #ids do
        given[#given + 1] = ids[n]
    end
    notePast(rows)
    return {ARGV[1], unpack(rows)}, latest
end

-- Writes one event for all messages given out, and wakes the watchers of the leases if needed.
local function appendClaims()
    if #given == 0 then
        return
    end
    appendEvent('claim', groupByHash(given), nil, nil, function() return {'from', 'held'} end)
    local first = earliestDeadline()
    if first ~= deadlineBefore then
        wake('leases', first)
    end
end

-- The oldest `max` messages of a mailbox, of at most so many bytes, 0 = any: the answer of claim_mailbox.lua.
local function claimOldest(recipient, max, most)
    local box = K .. 'box:' .. recipient
    local ids = call('ZRANGE', box, 0, math.max(max, kMessagesChecked) - 1)
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
            collect(box, {unpack(ids, i, math.min(i + max - 1, #ids))}, max, live, scored, blocking)
        end
    end
    if #live == 0 then
        if not next(blocking) then
            postpone(recipient, now)
            return {}
        end
        park(recipient, blocking)
        return wantedSlotsReply(blocking)
    end
    call('DEL', K .. 'came:' .. recipient)
    local reply, latest = lease(live)
    for topic, leased in pairs(scored) do
        if #leased > 0 then
            useQuota(topic, leased)
        end
    end
    postpone(recipient, latest)
    return reply
end
