#!lua
--[[
push_mailbox -- store messages, each behind the others in its recipient's mailbox.

Transition   none -> held        (docs/job-lifecycle.md, row "push (mailbox)")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each message:
    id
    next      the mailbox's first fall-back attempt, ms
    record    docs/redis-schema.md, "The record"
    options   packed (lib/insert.lua), with the limits of the mailbox and without a once key
    once key  "" = none

Returns  for each message "ok" | "same <id>" (it is there: the same content, or the same once key)
         | "conflict" (same id, other content) | "used" (it was finished lately, with other content)
         | "mailbox_full" | "store_full" (as much is held as may be) | "unreadable" (the record that
         would be replaced has an unknown format); or one "ok" for all

Touches  j:* box:* boxes held held_bytes seq index once:* finished:* weights:* events wake; replacing: any state;
         making room: as expire; reads ahead

Why      Most batches are new messages with the same options: each key is read once and written once
         for all of them. Only when a message is there already, or a mailbox is full, does it go
         message by message.
]]
--#include lib/held_bytes.lua
--#include lib/insert.lua
--#include lib/mailbox_limits.lua
local kStride = 5

-- Redis prints numbers as fractions, which takes it longer than the rest of a ZADD.
local function formatInteger(number)
    return string.format('%d', number)
end

-- The recipient of a record, and when it expires, ms, 0 = never.
local function recipientOf(record)
    local expires, _, recipient = struct.unpack('>xxxxxxI6xxxxxxBc0Hc0', record)
    return recipient, expires
end
-- What the batch adds to each key; nil when it must go message by message. Its mailboxes are numbered: `box` is such
-- a number, and an index into the lists about them. Lists, because a table for each would cost more than all else.
local function gather(packed)
    local ids, records, onceKeys, once, held = {}, {}, {}, {}, {}
    local recipients, adds, due, firstDue, added = {}, {}, {}, {}, {}
    local seen, boxOf, n, bytes = {}, {}, 0, 0
    local firstAttempt, firstExpiry  -- ms, of all of them
    for i = kFirst, #ARGV, kStride do
        local id, record, onceKey = ARGV[i], ARGV[i + 2], ARGV[i + 4]
        if ARGV[i + 3] ~= packed or seen[id] or seen[onceKey] or string.byte(record) ~= 1 or isIndexed(record) then
            return nil
        end
        n = n + 1
        seen[id], ids[n], records[n] = true, id, record
        if onceKey ~= '' then
            seen[onceKey] = true
            local keys = #onceKeys + 1
            onceKeys[keys], once[2 * keys - 1], once[2 * keys] = onceKey, onceKey, id
        end
        local recipient, expires = recipientOf(record)
        local attempt = tonumber(ARGV[i + 1])
        local box = boxOf[recipient]
        if not box then
            box = #recipients + 1
            boxOf[recipient], recipients[box], firstDue[box], added[box] = box, recipient, attempt, #record
            -- The ZADD of the mailbox; each place becomes an arrival number.
            adds[box] = {'ZADD', K .. 'box:' .. recipient, n, id}
            due[2 * box - 1], due[2 * box] = ARGV[i + 1], recipient
        else
            local add = adds[box]
            local last = #add
            add[last + 1], add[last + 2] = n, id
            added[box] = added[box] + #record
            if attempt < firstDue[box] then
                firstDue[box], due[2 * box - 1] = attempt, ARGV[i + 1]
            end
        end
        if not firstAttempt or attempt < firstAttempt then
            firstAttempt = attempt
        end
        held[2 * n - 1], held[2 * n] = '+inf', id
        if expires > 0 then
            held[2 * n - 1] = formatInteger(expires)
            firstExpiry = math.min(firstExpiry or expires, expires)
        end
        bytes = bytes + #record
    end
    return {ids = ids, records = records, onceKeys = onceKeys, once = once, held = held, bytes = bytes,
            recipients = recipients, adds = adds, added = added, due = due, weights = {},
            firstAttempt = firstAttempt, firstExpiry = firstExpiry}
end

-- Whether a mailbox has no room for its part. Otherwise `weights` is what they will weigh, where there is a limit.
local function fillsMailbox(batch, options)
    local reservedAll = reservedInAll()
    local noted = options.bytes > 0 and notedWeights(batch.recipients)
    for box, recipient in ipairs(batch.recipients) do
        local add, bytes = batch.adds[box], batch.added[box]
        local messages = (#add - 2) / 2
        local waiting = call('ZCARD', add[2])  -- also without a limit: refuses a foreign type
        local reserved = reservedAll > 0 and reservedIn(recipient) or 0
        if options.limit > 0 and waiting + reserved + messages > options.limit then
            return true
        end
        if noted then
            local weight, weighed = weightOf(recipient, add[2], waiting, reserved, options.bytes - bytes, noted[box])
            if weight + bytes > options.bytes then
                return true
            end
            batch.weights[2 * box - 1], batch.weights[2 * box] = recipient, formatWeight(weight + bytes, weighed + messages)
        end
    end
    return false
end

-- Whether one of them is there already, or has no room.
local function mustGoOneByOne(batch, groups, options)
    if anyExists(groups) then
        return true
    end
    if #batch.onceKeys > 0 then
        for _, id in ipairs(recallOnce(batch.onceKeys, options.ms)) do
            if id then
                return true
            end
        end
    end
    return fillsMailbox(batch, options) or fillsStore(options, #batch.ids, batch.bytes)
end

-- `score`, which may be nil, if it will be the head of `set`; refuses a key of a foreign type even if there is none.
local function newHead(set, score)
    return leads(set, score or math.huge) and score
end

local function pushAll(batch, groups, options)
    local ids = batch.ids
    local expiry, attempt = newHead(K .. 'held', batch.firstExpiry), newHead(K .. 'boxes', batch.firstAttempt)
    local lastArrival = call('INCRBY', K .. 'seq', #ids) - #ids
    for _, add in ipairs(batch.adds) do
        for n = 3, #add, 2 do
            add[n] = formatInteger(lastArrival + add[n])
        end
        call(unpack(add))
    end
    if #batch.weights > 0 then
        noteWeights(batch.weights)
    end
    addHeldBytes(batch.bytes)
    call('ZADD', K .. 'held', unpack(batch.held))
    call('ZADD', K .. 'boxes', 'LT', unpack(batch.due))
    -- Behind their places, as in push.lua, and the once keys behind the records.
    storeAll(groups, batch.records)
    if #batch.once > 0 then
        rememberOnce(batch.once, options.ms)
    end
    appendEvent('push', groups, options.by, options.why, function()
        local ordered, arrivals, nexts = {}, {}, {}
        for _, group in ipairs(groups) do
            for _, at in ipairs(group.at) do
                ordered[#ordered + 1] = batch.records[at]
                arrivals[#arrivals + 1] = formatInteger(lastArrival + at)
                nexts[#nexts + 1] = ARGV[kFirst + (at - 1) * kStride + 1]
            end
        end
        return {'rec', cmsgpack.pack(ordered), 'due', concat(nexts, ' '),
                'arr', concat(arrivals, ' ')}
    end)
    if expiry then
        wake('expiry', expiry)
    end
    if attempt then
        wake('mailboxes', attempt)
    end
end

local function pushOne(id, next, record, packed, onceKey)
    local options = unpackOptions(packed)
    options.once = onceKey
    local old, refusal = existing(id, record, options)
    if refusal then
        return refusal
    end
    local job = jobOf(id, record)
    refusal = lacksRoom(job, record, options)
    if refusal then
        return refusal
    end
    vacate(job, options, old)
    enterBox(job, next)
    enterHeld(job)
    insert(job, record, options)
    if options.bytes > 0 then
        addWeight(job.recipient, #record)
    end
    return 'ok', options.by, options.why
end

local options = unpackOptions(ARGV[kFirst + 3])
local batch = not options.replace and gather(ARGV[kFirst + 3])
local groups = batch and groupByHash(batch.ids)
guard({held_bytes = 'hash', events = 'stream'})
if not batch or mustGoOneByOne(batch, groups, options) then
    checkKeyTypes()
    local replies = pushEach(kStride, pushOne)
    appendComplete(ended)
    return replies
end
pushAll(batch, groups, options)
return 'ok'
