-- Giving out the messages of mailboxes: what claim_mailbox and the SIP plugin's arrive share. A mailbox has one
-- delivery run: while one of its messages is leased nothing is given out, and a lease that has run out counts until
-- it is reaped, or order would be lost. Either way the mailbox's next attempt moves behind the leases, so that
-- nobody asks in vain. What its topic's pause or limits hold back is parked: tried again when they give way, or in a
-- minute; who has been given messages of the topic waits for it no more, or a slot that is freed would be offered to
-- them. All requests of a call are read and decided first, and each key is written once for all of them.
--
-- Needs  came: kMessagesChecked; held_bytes: addHeldBytes; topic_limits: kReaperTurn restricted quotas quotaOf;
--        lease: inParts termsOf fillFailedAttempts roomOf useQuota; devices: kGrace;
--        outbox: appendEvent leads wake setNextAttempt; topic: topicOf
-- Gives  guardMailboxes oldestOf claimEach appendClaims
--#include lib/came.lua
--#include lib/held_bytes.lua
--#include lib/lease.lua
--#include lib/devices.lua

local kParkedRetry = 60000  -- ms until a parked mailbox is tried again in any case

-- Refuses keys of foreign types.
local function guardMailboxes()
    guard({lease = 'zset', boxes = 'zset', held = 'zset', held_bytes = 'hash', past = 'hash', forgotten = 'hash',
           events = 'stream'})
    if restricted then
        guard({paused = 'hash', limits = 'hash', rate = 'hash'})
    end
end

-- The scores of these ids in `lease`, false where there is none.
local function leaseEndsOf(ids)
    local ends = {}
    inParts(ids, function(...)
        for _, score in ipairs(call('ZMSCORE', K .. 'lease', ...)) do
            ends[#ends + 1] = score
        end
    end)
    return ends
end

local postponed, nearest = {}, math.huge  -- the ZADD of `boxes`: next attempt, recipient ...; the least of them

local function postpone(recipient, deadline)
    local next = math.max(deadline, now) + kGrace
    postponed[#postponed + 1] = string.format('%d', next)
    postponed[#postponed + 1] = recipient
    nearest = math.min(nearest, next)
end

local givenIds, leaseEntries, givenBytes = {}, {}, 0  -- by all requests; the ZADD of `lease`; bytes of their records
local leasesByTopic = {}  -- by topic, of which something is restricted: the ZADD of its leases
local servedByTopic = {}  -- by the same topics: the recipients who were given messages of it, who wait for it no more
local cameKeys, leaseEnd = {}, {}  -- the keys `came:*` of their recipients; by recipient, when its last lease ends

-- Whether one more message of this topic may be given out beside those of `batch`, what one request gets: `leases` has
-- what is given out of each topic, and `blocking` gets the topic if it has none. Nothing is restricted in most stores,
-- which have neither.
local function hasRoom(topic, batch)
    batch.leases[topic] = batch.leases[topic] or {}
    if roomOf(topic) > (#batch.leases[topic] + #(leasesByTopic[topic] or {})) / 2 then
        return true
    end
    batch.blocking[topic] = true
    return false
end

local blockingByRecipient = {}  -- the topics that hold its messages back

-- Refuses keys of foreign types, by topic, while nothing is leased.
local function guardParked(topics)
    for topic in pairs(topics) do
        call('ZCARD', K .. 'parked:' .. topic)
    end
end

-- Parks the mailbox when all requests have been given theirs, which may use up what a topic has left.
local function parkLater(recipient, blocking)
    guardParked(blocking)
    blockingByRecipient[recipient] = blocking
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
    setNextAttempt(recipient, next, 'XX')
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

-- Counts the bytes of a record that has room with those of `batch`; whether they fit into its limit. After one that
-- does not, none does.
local function reserveBytes(record, batch)
    batch.bytes = batch.bytes + #record
    batch.full = batch.full or (batch.maxBytes > 0 and batch.count > 0 and batch.bytes > batch.maxBytes)
    return not batch.full
end

-- Adds to `batch` the messages of `ids` that may be given out; ids whose record is gone leave the box. `known` has
-- records that have been read already.
local function collect(request, ids, known, batch)
    for n, record in ipairs(known or (fetch(ids))) do
        local id, terms = ids[n], record and termsOf(record)
        if not record then
            call('ZREM', K .. 'box:' .. request.recipient, id)
        elseif terms.unexpired and batch.count < request.max and not batch.full and
            (not restricted or hasRoom(topicOf(record), batch)) and reserveBytes(record, batch) then
            local rows, at = batch.rows, 4 * batch.count
            rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4] = id, ARGV[1], '0', record
            batch.count, batch.latest = batch.count + 1, math.max(batch.latest, tonumber(terms.deadline))
            batch.deadlines[batch.count] = terms.deadline
            batch.givenBytes = batch.givenBytes + #record
            if restricted then
                local leases = batch.leases[topicOf(record)]
                leases[#leases + 1] = terms.deadline
                leases[#leases + 1] = id
            end
        end
    end
end

-- The oldest messages of a mailbox, among which are those of which `max` may be given out; and how many it holds.
local function oldestOf(recipient, max)
    local box, most = K .. 'box:' .. recipient, math.max(max, kMessagesChecked)
    local ids = call('ZRANGE', box, '0', string.format('%d', most - 1))
    return ids, #ids < most and #ids or call('ZCARD', box)
end

-- Called after all that Redis could refuse, so that a request that fails has nothing leased.
local function giveOut(recipient, batch)
    for n, deadline in ipairs(batch.deadlines) do
        local id = batch.rows[4 * n - 3]
        givenIds[#givenIds + 1] = id
        leaseEntries[#leaseEntries + 1] = deadline
        leaseEntries[#leaseEntries + 1] = id
    end
    givenBytes = givenBytes + batch.givenBytes
    for topic, entries in pairs(batch.leases or {}) do
        leasesByTopic[topic] = leasesByTopic[topic] or {}
        if #entries > 0 then
            servedByTopic[topic] = servedByTopic[topic] or {}
            table.insert(servedByTopic[topic], recipient)
        end
        for _, entry in ipairs(entries) do
            table.insert(leasesByTopic[topic], entry)
        end
    end
end

-- The answer of claim_mailbox.lua to one request. `known` has the records of the request's first messages.
local function claim(request, known)
    local ids, max = request.ids, request.max
    if #ids == 0 then
        call('ZREM', K .. 'boxes', request.recipient)
        return {}
    end
    local leasedUntil = request.leasedUntil or leaseEnd[request.recipient]
    if leasedUntil then
        postpone(request.recipient, leasedUntil)
        return {}
    end
    local batch = {count = 0, bytes = 0, maxBytes = request.bytes, full = false, latest = 0, rows = {}, deadlines = {},
                   givenBytes = 0, leases = restricted and {}, blocking = restricted and {}}
    for i = 1, #ids, max do
        if batch.count < max and not batch.full then
            local part = #ids <= max and ids or {unpack(ids, i, math.min(i + max - 1, #ids))}
            collect(request, part, i == 1 and known, batch)
        end
    end
    if batch.count == 0 then
        if not restricted or not next(batch.blocking) then
            postpone(request.recipient, now)
            return {}
        end
        parkLater(request.recipient, batch.blocking)
        return wantedSlotsReply(batch.blocking)
    end
    fillFailedAttempts(batch.rows)
    guardParked(batch.leases or {})
    giveOut(request.recipient, batch)
    cameKeys[#cameKeys + 1] = K .. 'came:' .. request.recipient
    leaseEnd[request.recipient] = batch.latest
    postpone(request.recipient, batch.latest)
    return {ARGV[1], unpack(batch.rows)}
end

-- Notes until when messages of each mailbox are leased, and reads the records that each request needs at first: lists
-- in the order of the requests.
local function readAhead(requests)
    local ids, firstIds = {}, {}
    for _, request in ipairs(requests) do
        for n = 1, #request.ids do
            ids[#ids + 1] = request.ids[n]
        end
    end
    local ends, at = leaseEndsOf(ids), 0
    for _, request in ipairs(requests) do
        for n = 1, #request.ids do
            if ends[at + n] then
                request.leasedUntil = math.max(request.leasedUntil or 0, tonumber(ends[at + n]))
            end
        end
        at = at + #request.ids
        for n = 1, request.leasedUntil and 0 or math.min(request.max, #request.ids) do
            firstIds[#firstIds + 1] = request.ids[n]
        end
    end
    local records, known = fetch(firstIds), {}
    at = 0
    for r, request in ipairs(requests) do
        local count = request.leasedUntil and 0 or math.min(request.max, #request.ids)
        known[r] = {unpack(records, at + 1, at + count)}
        at = at + count
    end
    return known
end

-- Gives out messages. Each request has `recipient`, `max`, `bytes` (0 = any) and `ids`, of oldestOf(); it gets
-- `reply`, what claim_mailbox.lua answers, or `failed`, why Redis refuses a key of it. What is given out is leased by
-- appendClaims().
local function claimEach(requests)
    local succeeded, known = pcall(readAhead, requests)
    for n, request in ipairs(requests) do
        local ok, firstRecords = succeeded, succeeded and known[n]
        if not succeeded then  -- a key of one of them is of a foreign type: whose?
            ok, firstRecords = pcall(readAhead, {request})
            firstRecords = ok and firstRecords[1] or firstRecords  -- or why Redis refuses
        end
        local reply = firstRecords
        if ok then
            ok, reply = pcall(claim, request, firstRecords)
        end
        request[ok and 'reply' or 'failed'] = reply
    end
end

local function earliestDeadline()
    return call('ZRANGE', K .. 'lease', 0, 0, 'WITHSCORES')[2]
end

-- Writes what was given out by all requests, with one event, and when their mailboxes are tried again. The leases come
-- first and `came:*` goes last: this script cut short leaves messages that are doubled, and nobody who has come in vain
-- (docs/torn-file.md).
local function appendClaims()
    local before = #givenIds > 0 and earliestDeadline()
    inParts(leaseEntries, function(...) call('ZADD', K .. 'lease', ...) end)
    local removedCount = 0
    inParts(givenIds, function(...) removedCount = removedCount + call('ZREM', K .. 'held', ...) end)
    if #givenIds > 0 and removedCount == #givenIds then
        addHeldBytes(-givenBytes)
    end
    for topic, entries in pairs(leasesByTopic) do
        if #entries > 0 then
            useQuota(topic, entries)
            quotas[topic] = nil  -- what is left now
        end
    end
    for topic, recipients in pairs(servedByTopic) do
        inParts(recipients, function(...) call('ZREM', K .. 'parked:' .. topic, ...) end)
    end
    for recipient, blocking in pairs(blockingByRecipient) do
        park(recipient, blocking)
    end
    local isNearer = #postponed > 0 and leads(K .. 'boxes', nearest)
    inParts(postponed, function(...) call('ZADD', K .. 'boxes', 'XX', ...) end)
    if isNearer then
        wake('mailboxes', nearest)
    end
    inParts(cameKeys, function(...) call('DEL', ...) end)
    if #givenIds == 0 then
        return
    end
    appendEvent('claim', groupByHash(givenIds), nil, nil, function() return {'from', 'held'} end)
    local first = earliestDeadline()
    if first ~= before then
        wake('leases', first)
    end
end
