#!lua flags=allow-oom
--[[
finish -- the jobs were done; forget them, or keep them while `retention.done` lasts.

Transition   leased -> done        (docs/job-lifecycle.md, row "finish")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    attempt    the caller's fencing token, 0 = whichever is leased now
    recipient  of a mailbox job, else ""
    keep       "1" = into the set of the done, "0" = forget
    chosen     "1" = the id may be its caller's own, and is remembered if the record says so
    note       what the worker tells of the attempt, for the journal; may be empty
    who        packed (lib/outbox.lua): the operator who does it; "" = a worker

Returns  for each job "ok", of a mailbox job "ok <messages>" (that its mailbox holds when all of these have ended)
         | "gone" (no such job) | "stale <state> <attempts begun>" (leased again since, or not leased)
         | "conflict" (attempt 0: nobody has it); or one "ok" for all

Touches  lease past error taken j:* box:* boxes ahead held_bytes done origin forgotten index finished:* events; busy:* parked:* slots:* limits wake,
         where topics have limits; reads held dead trash due:* for a refusal

Why      The token, not the lease's presence, decides: a slow worker must not finish a job that
         another one is delivering now. The record is read only for the limits of topics, for the index and for
         ids of callers, which is why the recipient comes along. Whoever empties a mailbox is told when it is
         empty, and need not claim once more to find that out.
]]
--#include lib/topic.lua
--#include lib/index.lua
--#include lib/finished.lua
--#include lib/held_bytes.lua
local sizes = guard({past = 'hash', index = 'zset', limits = 'hash', events = 'stream'})
local kStride = 7

-- The state of a job that is not leased; looked up only for a refusal.
local kStateOfSet = {held = 'held', dead = 'dead', trash = 'trashed', done = 'done'}
local function stateOf(id, record)
    for set, state in pairs(kStateOfSet) do
        if call('ZSCORE', K .. set, id) then
            return state
        end
    end
    local due = timesOf(record) and call('ZSCORE', K .. 'due:' .. laneOf(record), id)
    return due and (tonumber(due) < now + 1 and 'ready' or 'scheduled') or 'lost'
end

local function statusOf(id, attempt, deadline, failedAttempts, finished)
    if deadline and not finished[id] and (attempt == '0' or tonumber(attempt) == failedAttempts + 1) then
        return 'ok'
    end
    local key, field = addressOf(id)
    local record = not finished[id] and call('HGET', key, field)
    if not record then
        return 'gone'
    end
    if attempt == '0' then
        return 'conflict'
    end
    if deadline then
        return 'stale leased ' .. failedAttempts + 1
    end
    return 'stale ' .. stateOf(id, record) .. ' ' .. failedAttempts
end

local requestedIds = {}
for i = kFirst, #ARGV, kStride do
    requestedIds[#requestedIds + 1] = ARGV[i]
end
local deadlines = call('ZMSCORE', K .. 'lease', unpack(requestedIds))
local failedAttempts = sizes.past > 0 and call('HMGET', K .. 'past', unpack(requestedIds)) or {}

if sizes.limits > 0 then
    guard({boxes = 'zset'})  -- a slot that is freed may make mailboxes due
end

-- Few stores have any of these.
local remarkSizes = call('EXISTS', K .. 'forgotten', K .. 'error', K .. 'taken') > 0
    and guard({forgotten = 'hash', error = 'hash', taken = 'hash'}) or {}

local mailSizes  -- of the keys that only messages touch
local replies, ids, boxes, finished, remaining = {}, {}, {}, {}, {}
local toForget, kept, callersIds = {}, {}, {}
local reserved = {}  -- the bytes of messages that may have a place in `ahead`
local byWorkers, byOperators = {}, {}
for n = 1, #requestedIds do
    local id, i = requestedIds[n], kFirst + (n - 1) * kStride
    local attempt, recipient = ARGV[i + 1], ARGV[i + 2]
    local who = ARGV[i + 6]
    replies[n] = statusOf(id, attempt, deadlines[n], failedAttempts[n] or 0, finished)
    if replies[n] == 'ok' then
        finished[id] = true
        keepNote(id, ARGV[i + 5])
        ids[#ids + 1] = id
        local actorIds = byWorkers
        if who ~= '' then
            byOperators[who] = byOperators[who] or {}
            actorIds = byOperators[who]
        end
        actorIds[#actorIds + 1] = id
        local list = ARGV[i + 3] == '1' and kept or toForget
        list[#list + 1] = id
        if ARGV[i + 4] == '1' then
            callersIds[#callersIds + 1] = id
        end
        if recipient ~= '' then
            local box = boxes[recipient]
            if not box then
                -- Also refuses a key of a foreign type.
                box = {key = K .. 'box:' .. recipient}
                box.waiting = call('ZCARD', box.key)
                boxes[recipient] = box
            end
            box[#box + 1] = id
            mailSizes = mailSizes or guard({boxes = 'zset', ahead = 'zset', held_bytes = 'hash'})
            if mailSizes.ahead > 0 then
                reserved[id] = call('HSTRLEN', addressOf(id))
            end
        end
    end
end
if #ids == 0 then
    return replies
end

if #kept > 0 then
    guard({done = 'zset', origin = 'hash'})
end
local groups = groupByHash(toForget)
for _, group in ipairs(groups) do
    call('HLEN', group.key)  -- refuses a key of a foreign type
end
local entries = finishedEntriesOf(callersIds, (fetch(callersIds)))

local topics = {}
if sizes.limits > 0 then
    for n, record in ipairs((fetch(ids))) do
        topics[n] = record and topicOf(record)
    end
end
-- The records first: this script cut short must not leave a finished job that is delivered again.
if #toForget > 0 and sizes.index > 0 then
    unindex(toForget, (fetch(toForget)))
end
for _, group in ipairs(groups) do
    call('HDEL', group.key, unpack(group.fields))
end
rememberFinished(entries)
call('ZREM', K .. 'lease', unpack(ids))
for n, id in ipairs(ids) do
    if topics[n] then
        freeSlot(id, topics[n])
    end
end
local emptied = {}
for recipient, box in pairs(boxes) do
    local removed = call('ZREM', box.key, unpack(box))
    if removed < #box then
        for _, id in ipairs(box) do
            if call('ZREM', K .. 'ahead', recipient .. '\0' .. id) == 1 then  -- see lib/mailbox_limits.lua
                addHeldBytes(-reserved[id])
            end
        end
    end
    remaining[recipient] = box.waiting - removed
    if remaining[recipient] == 0 then
        emptied[#emptied + 1] = recipient
    end
end
if #emptied > 0 then
    call('ZREM', K .. 'boxes', unpack(emptied))
end
for _, id in ipairs(kept) do
    call('ZADD', K .. 'done', now, id)
    call('HSET', K .. 'origin', id, 'scheduled ' .. ARGV[1] .. ' - -')
end
if #toForget > 0 then
    if sizes.past > 0 then
        call('HDEL', K .. 'past', unpack(toForget))
    end
    for hash, size in pairs(remarkSizes) do
        if size > 0 then
            call('HDEL', K .. hash, unpack(toForget))
        end
    end
end
if next(byOperators) then
    appendEvent('finish', groupByHash(byWorkers))
    for who, jobs in pairs(byOperators) do
        appendEvent('finish', groupByHash(jobs), unpackActor(who))
    end
else
    appendEvent('finish', #kept == 0 and groups or groupByHash(ids))
end
if next(remaining) then
    for n = 1, #requestedIds do
        local waiting = remaining[ARGV[kFirst + (n - 1) * kStride + 2]]
        if waiting and replies[n] == 'ok' then
            replies[n] = 'ok ' .. waiting
        end
    end
    return withEvent(replies)
end
return withEvent(#ids == #requestedIds and 'ok' or replies)
