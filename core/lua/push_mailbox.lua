#!lua
--[[
push_mailbox -- store messages, each behind the others in its recipient's mailbox.

Transition   none -> held        (docs/job-lifecycle.md, row "push (mailbox)")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then
    options   of all messages, packed (lib/insert.lua), with the limits of the mailbox and without a once key
  and for each message:
    id
    next      the mailbox's first fall-back attempt, ms
    record    docs/redis-schema.md, "The record"
    once key  "" = none

Returns  for each message "ok" | "same <id>" (it is there: the same content, or the same once key; to replace a job
         of the same content is more than that when its ttr or `expires` differs, or when it has ended)
         | "conflict" (same id, other content) | "used" (it was finished lately, with other content)
         | "mailbox_full" | "store_full" (as much is held as may be) | "unreadable" (the record that
         would be replaced has an unknown format); or one "ok" for all

Touches  j:* box:* boxes held held_bytes seq index once:* finished:* weights:* events wake; replacing: as purge;
         making room: as expire; reads ahead

Why      Most batches are new messages: each key is read once and written once
         for all of them. Only when a message is there already, or a mailbox is full, does it go
         message by message. What that needs is included where it is done: a script makes its functions anew
         at each call, and hundreds of them take longer than a message.
]]
--#include lib/outbox.lua
--#include lib/new_jobs.lua
--#include lib/once.lua
--#include lib/held_bytes.lua
--#include lib/mailbox_room.lua
local format = string.format
-- The version, the flags, when it expires, the lane and the recipient: timesOf() and laneOf() at once.
local kRecordForm = '>BBxxxxc6xxxxxxBc0Hc0'
local packedOptions = ARGV[kFirst]
local kStride = 4
kFirst = kFirst + 1

-- What the batch adds to each key; nil when it must go message by message. Its mailboxes are numbered: `box` is such
-- a number, and an index into the lists about them: `firstIn` has the index of its first message, `laterIn` those of the
-- others. `held`, `once` and `nextAttempts` are flat: expiry and id, once key and id, next attempt and recipient. Lists,
-- because a table for each would cost more than all else; and what the messages of one millisecond share is worked out
-- once.
local function gather()
    local ids, records, held, onceKeys, once = {}, {}, {}, {}, {}
    local boxOf, boxCount, boxKeys, firstIn, laterIn, nextAttempts = {}, 0, {}, {}, {}, {}
    local seen, n, bytes, earliestAttempt, earliestExpiry = {}, 0, 0, math.huge, math.huge
    local lastNext, nextMs, lastExpires, expiry
    for i = kFirst, #ARGV, kStride do
        local id, next, record, onceKey = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
        local version, flags, expires, _, recipient = struct.unpack(kRecordForm, record)
        -- The lowest flags: it is in an index, or may have been finished lately.
        if version ~= 1 or flags % 8 ~= 0 or seen[id] or seen[onceKey] then
            return nil
        end
        n = n + 1
        seen[id], ids[n], records[n] = true, id, record
        if onceKey ~= '' then
            local last = #onceKeys + 1
            seen[onceKey], onceKeys[last], once[2 * last - 1], once[2 * last] = true, onceKey, onceKey, id
        end
        if next ~= lastNext then
            lastNext, nextMs = next, tonumber(next)
            earliestAttempt = math.min(earliestAttempt, nextMs)
        end
        if expires ~= lastExpires then
            lastExpires = expires
            local ms = struct.unpack('>I6', expires)
            expiry = ms > 0 and format('%d', ms) or '+inf'
            earliestExpiry = ms > 0 and math.min(earliestExpiry, ms) or earliestExpiry
        end
        held[2 * n - 1], held[2 * n] = expiry, id
        local box = boxOf[recipient]
        if not box then
            boxCount = boxCount + 1
            boxOf[recipient], boxKeys[boxCount], firstIn[boxCount] = boxCount, K .. 'box:' .. recipient, n
            nextAttempts[2 * boxCount - 1], nextAttempts[2 * boxCount] = next, recipient
        else
            laterIn[box] = laterIn[box] or {}
            table.insert(laterIn[box], n)
            if nextMs < tonumber(nextAttempts[2 * box - 1]) then
                nextAttempts[2 * box - 1] = next
            end
        end
        bytes = bytes + #record
    end
    return {ids = ids, records = records, held = held, bytes = bytes, onceKeys = onceKeys, once = once,
            boxCount = boxCount, boxKeys = boxKeys, firstIn = firstIn, laterIn = laterIn, nextAttempts = nextAttempts,
            weights = {}, outdatedNotes = {}, earliestAttempt = earliestAttempt, earliestExpiry = earliestExpiry}
end

local function bytesFor(batch, box)
    local bytes = #batch.records[batch.firstIn[box]]
    for _, n in ipairs(batch.laterIn[box] or {}) do
        bytes = bytes + #batch.records[n]
    end
    return bytes
end

local function recipientsOf(batch)
    local recipients = {}
    for box = 1, batch.boxCount do
        recipients[box] = batch.nextAttempts[2 * box]
    end
    return recipients
end

-- Whether a mailbox has no room for its part. Otherwise `weights` is what those will weigh that are to be noted, and
-- `outdatedNotes` has the recipients whose mailboxes need no note any more.
local function fillsMailbox(batch, options)
    local boxKeys, laterIn, weights = batch.boxKeys, batch.laterIn, batch.weights
    local reservedAll = reservedInAll()
    local noted = options.bytes > 0 and isAnyNoted() and notedWeights(recipientsOf(batch)) or {}
    local maxMessages = options.limit > 0 and options.limit or math.huge
    for box = 1, batch.boxCount do
        local messages = laterIn[box] and 1 + #laterIn[box] or 1
        local waiting = call('ZCARD', boxKeys[box])  -- also without a limit: refuses a foreign type
        local recipient = batch.nextAttempts[2 * box]
        local reserved = reservedAll > 0 and reservedIn(recipient) or 0
        local total = waiting + reserved + messages
        if total > maxMessages then
            return true
        end
        local bytes = options.bytes > 0 and bytesFor(batch, box) or 0
        if bytes > options.bytes then
            return true
        end
        if noted[box] and total == messages then
            table.insert(batch.outdatedNotes, recipient)
        elseif options.bytes > 0 and total > messages then
            local weight, weighed = weightOf(recipient, boxKeys[box], waiting, reserved, options.bytes - bytes, noted[box])
            if weight + bytes > options.bytes then
                return true
            end
            weights[#weights + 1] = recipient
            weights[#weights + 1] = formatWeight(weight + bytes, weighed + messages)
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
        local known = recallOnce(batch.onceKeys, options.ms)
        for n = 1, #known do
            if known[n] then
                return true
            end
        end
    end
    return fillsMailbox(batch, options) or fillsStore(options, #batch.ids, batch.bytes)
end

local kDigits = {[0] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'}
local tens, front

-- Prints whole numbers, most of which follow one another, in half of the time of string.format().
local function formatArrival(number)
    local last = number % 10
    if number - last ~= tens then
        tens = number - last
        front = tens > 0 and format('%d', tens / 10) or ''
    end
    return front .. kDigits[last]
end

local function enterBoxes(batch, lastArrival)
    local ids, boxKeys, firstIn, laterIn = batch.ids, batch.boxKeys, batch.firstIn, batch.laterIn
    for box = 1, batch.boxCount do
        local first, later = firstIn[box], laterIn[box]
        if not later then
            call('ZADD', boxKeys[box], formatArrival(lastArrival + first), ids[first])
        else
            local zadd = {'ZADD', boxKeys[box], formatArrival(lastArrival + first), ids[first]}
            for _, n in ipairs(later) do
                zadd[#zadd + 1] = formatArrival(lastArrival + n)
                zadd[#zadd + 1] = ids[n]
            end
            call(unpack(zadd))
        end
    end
end

local function pushAll(batch, groups, options)
    local ids = batch.ids
    -- These refuse keys of a foreign type, too.
    local isFirstToExpire = leads(K .. 'held', batch.earliestExpiry)
    local isFirstToBeTried = leads(K .. 'boxes', batch.earliestAttempt)
    -- First: a note that is too high is counted anew.
    if #batch.outdatedNotes > 0 then
        forgetWeights(batch.outdatedNotes)
    end
    if #batch.weights > 0 then
        noteWeights(batch.weights)
    end
    local lastArrival = call('INCRBY', K .. 'seq', #ids) - #ids
    enterBoxes(batch, lastArrival)
    addHeldBytes(batch.bytes)
    call('ZADD', K .. 'held', unpack(batch.held))
    call('ZADD', K .. 'boxes', 'LT', unpack(batch.nextAttempts))
    -- Behind their places, as in push.lua, and the once keys behind the records.
    storeRecords(groups, batch.records)
    if #batch.once > 0 then
        rememberOnce(batch.once, options.ms)
    end
    appendEvent('push', groups, options.by, options.why, function()
        local ordered, arrivals, nexts = {}, {}, {}
        for _, group in ipairs(groups) do
            for _, at in ipairs(group.at) do
                ordered[#ordered + 1] = batch.records[at]
                arrivals[#arrivals + 1] = formatArrival(lastArrival + at)
                nexts[#nexts + 1] = ARGV[kFirst + (at - 1) * kStride + 1]
            end
        end
        return {'rec', cmsgpack.pack(ordered), 'due', concat(nexts, ' '),
                'arr', concat(arrivals, ' ')}
    end)
    if isFirstToExpire and batch.earliestExpiry < math.huge then
        wake('expiry', batch.earliestExpiry)
    end
    if isFirstToBeTried then
        wake('mailboxes', batch.earliestAttempt)
    end
end

local function pushOneByOne()
--#include lib/insert.lua
--#include lib/mailbox_limits.lua
    checkKeyTypes()
    local replies = pushEach(kStride, function(id, next, record, onceKey)
        local options = unpackOptions(packedOptions)
        options.once = onceKey
        local old, refusal = jobToReplace(id, record, options)
        if refusal then
            return refusal
        end
        local job = jobOf(id, record)
        refusal = roomRefusal(job, record, options)
        if refusal then
            return refusal
        end
        removeReplaced(job, options, old)
        enterBox(job, next)
        enterHeld(job)
        storeRecord(job, record, options)
        if options.bytes > 0 then
            addWeight(job.recipient, #record)
        end
        return 'ok', options.by, options.why
    end)
    appendFinishEvent(endedForRoom)
    return withEvent(replies)
end

guard({held_bytes = 'hash', events = 'stream'})
local options = unpackOptions(packedOptions)
local batch = not options.replace and gather()
local groups = batch and groupByHash(batch.ids)
if not batch or mustGoOneByOne(batch, groups, options) then
    return pushOneByOne()
end
pushAll(batch, groups, options)
return withEvent('ok')
