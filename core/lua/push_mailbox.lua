#!lua
--[[
push_mailbox -- store messages, each behind the others in its recipient's mailbox.

Transition   none -> held        (docs/job-lifecycle.md, row "push (mailbox)")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each message:
    id
    next      the mailbox's first fall-back attempt, ms
    record    docs/redis-schema.md, "The record"
    wish      packed (lib/insert.lua), with the limits of the mailbox and without a once key
    once key  "" = none

Returns  for each message "ok" | "same <id>" (it is there: the same content, or the same once key)
         | "conflict" (same id, other content) | "used" (it was finished lately, with other content)
         | "mailbox_full" | "store_full" (as much is held as may be) | "unreadable" (the record that
         would be replaced has an unknown format); or one "ok" for all

Touches  j:* box:* boxes held held_bytes seq index once:* finished:* weight:* events wake; replacing: any state;
         making room: as expire; reads ahead

Why      Most batches are new messages with the same wish: each key is read once and written once
         for all of them. Only when a message is there already, or a mailbox is full, does it go
         message by message.
]]
--#include lib/held_bytes.lua
--#include lib/insert.lua
--#include lib/mailbox_limits.lua
local kStride = 5

-- Redis prints numbers as fractions, which takes it longer than the rest of a ZADD.
local function printInteger(number)
    return string.format('%d', number)
end

-- The recipient of a record, and when it expires, ms, 0 = never.
local function recipientOf(record)
    local expires, _, recipient = struct.unpack('>xxxxxxI6xxxxxxBc0Hc0', record)
    return recipient, expires
end

-- What the batch adds to each key; nil when it must go message by message.
local function gather(packed)
    local batch = {ids = {}, records = {}, boxes = {}, onceKeys = {}, once = {}, held = {}, bytes = 0}
    local ids, records, boxes, onceKeys, once, held =
        batch.ids, batch.records, batch.boxes, batch.onceKeys, batch.once, batch.held
    local seen, byRecipient, n = {}, {}, 0
    for i = kFirst, #ARGV, kStride do
        local id, record, onceKey = ARGV[i], ARGV[i + 2], ARGV[i + 4]
        if ARGV[i + 3] ~= packed or seen[id] or seen[onceKey] or string.byte(record) ~= 1 or isIndexed(record) then
            return nil
        end
        n = n + 1
        seen[id], ids[n], records[n] = true, id, record
        if onceKey ~= '' then
            seen[onceKey] = true
            onceKeys[#onceKeys + 1] = onceKey
            once[2 * #onceKeys - 1], once[2 * #onceKeys] = onceKey, id
        end
        local recipient, expires = recipientOf(record)
        local next = tonumber(ARGV[i + 1])
        local box = byRecipient[recipient]
        if not box then
            box = {key = K .. 'box:' .. recipient, recipient = recipient, at = {}, next = next, bytes = 0}
            byRecipient[recipient], boxes[#boxes + 1] = box, box
        end
        box.at[#box.at + 1] = n
        box.next = math.min(box.next, next)
        box.bytes = box.bytes + #record
        batch.bytes = batch.bytes + #record
        held[2 * n - 1], held[2 * n] = expires > 0 and printInteger(expires) or '+inf', id
    end
    return batch
end

-- Whether one of them is there already, or a mailbox has no room for its part.
local function mustGoOneByOne(batch, groups, wish)
    if anyExists(groups) then
        return true
    end
    if #batch.onceKeys > 0 then
        for _, id in ipairs(recallOnce(batch.onceKeys, wish.ms)) do
            if id then
                return true
            end
        end
    end
    local reservedAll = reservedInAll()
    for _, box in ipairs(batch.boxes) do
        local waiting = call('ZCARD', box.key)  -- also without a limit: refuses a foreign type
        local reserved = reservedAll > 0 and reservedIn(box.recipient) or 0
        if wish.limit > 0 and waiting + reserved + #box.at > wish.limit then
            return true
        end
        if wish.bytes > 0 and weightOf(box.recipient, box.key, waiting, reserved, wish.bytes - box.bytes) + box.bytes > wish.bytes then
            return true
        end
    end
    return fillsStore(wish, #batch.ids, batch.bytes)
end

-- The smallest score of a list score, member, score, member ... if it will be the head of `set`.
local function newHead(set, scored)
    local least = math.huge
    for n = 1, #scored, 2 do
        least = math.min(least, tonumber(scored[n]) or least)
    end
    return leads(set, least) and least < math.huge and least
end

local function pushAll(batch, groups, wish)
    local ids, due = batch.ids, {}
    for n, box in ipairs(batch.boxes) do
        due[2 * n - 1], due[2 * n] = box.next, box.recipient
    end
    local expiry, attempt = newHead(K .. 'held', batch.held), newHead(K .. 'boxes', due)
    local lastArrival = call('INCRBY', K .. 'seq', #ids) - #ids
    for _, box in ipairs(batch.boxes) do
        local zadd = {'ZADD', box.key}
        for n, at in ipairs(box.at) do
            zadd[2 * n + 1], zadd[2 * n + 2] = printInteger(lastArrival + at), ids[at]
        end
        call(unpack(zadd))
        if wish.bytes > 0 then
            addWeight(box.recipient, #box.at, box.bytes)
        end
    end
    addHeldBytes(batch.bytes)
    call('ZADD', K .. 'held', unpack(batch.held))
    call('ZADD', K .. 'boxes', 'LT', unpack(due))
    -- Behind their places, as in push.lua, and the once keys behind the records.
    storeAll(groups, batch.records)
    if #batch.once > 0 then
        rememberOnce(batch.once, wish.ms)
    end
    append('push', groups, wish.by, wish.why, function()
        local ordered, arrivals, nexts = {}, {}, {}
        for _, group in ipairs(groups) do
            for _, at in ipairs(group.at) do
                ordered[#ordered + 1] = batch.records[at]
                arrivals[#arrivals + 1] = printInteger(lastArrival + at)
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
    local wish = unpackWish(packed)
    wish.once = onceKey
    local old, refusal = existing(id, record, wish)
    if refusal then
        return refusal
    end
    local job = jobOf(id, record)
    refusal = lacksRoom(job, record, wish)
    if refusal then
        return refusal
    end
    vacate(job, wish, old)
    enterBox(job, next)
    enterHeld(job)
    insert(job, record, wish)
    if wish.bytes > 0 then
        addWeight(job.recipient, 1, #record)
    end
    return 'ok', wish.by, wish.why
end

local wish = unpackWish(ARGV[kFirst + 3])
local batch = not wish.replace and gather(ARGV[kFirst + 3])
local groups = batch and byHash(batch.ids)
guard({held_bytes = 'hash', events = 'stream'})
if not batch or mustGoOneByOne(batch, groups, wish) then
    guardAll()
    local replies = pushEach(kStride, pushOne)
    appendComplete(ended)
    return replies
end
pushAll(batch, groups, wish)
return 'ok'
