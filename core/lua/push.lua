#!lua
--[[
push -- store jobs in their lanes.

Transition   none -> scheduled or ready        (docs/job-lifecycle.md, row "push")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    score     due ms + arrival fraction
    record    docs/redis-schema.md, "The record"
    options   packed (lib/insert.lua); "" = nothing. Limits of a mailbox are of a message that goes into
              it when it is due

Returns  for each job "ok" | "same <id>" (it is there: the same content, or the same once key; to replace a job
         of the same content is more than that when its ttr or `expires` differs, or when it has ended)
         | "conflict" (same id, other content) | "used" (it was finished lately, with other content)
         | "mailbox_full" | "store_full" (as much is held as may be) | "unreadable" (the record that
         would be replaced has an unknown format); or one "ok" for all

Touches  j:* due:* expiry lanes index once:* finished:* events wake; replacing: as purge; with the limits of a
         mailbox ahead held_bytes weights:*, reads box:* held, and making room as expire

Why      Most batches are new jobs: one look at their hashes, then one HSET a hash, one
         ZADD a lane and one XADD. Only when some id exists or was finished lately, is there twice, or a job
         has options, does it go job by job.
]]
--#include lib/insert.lua
--#include lib/mailbox_limits.lua
local kStride = 4

local kNoExpiry = string.rep('\0', 6)

-- The ZADDs of the lanes and that of `expiry`, the ids and the records; nil when the batch must go job by job.
local function gather()
    local lanes, byName, seen = {}, {}, {}
    local expiry, ids, records, n = {'ZADD', K .. 'expiry'}, {}, {}, 0
    for i = kFirst, #ARGV, kStride do
        local id, record = ARGV[i], ARGV[i + 2]
        if ARGV[i + 3] ~= '' or seen[id] then
            return nil
        end
        n = n + 1
        seen[id], ids[n], records[n] = true, id, record
        -- As laneOf() and timesOf(), but faster.
        local name = sub(record, 20, 19 + string.byte(record, 19))
        local lane = byName[name]
        if not lane then
            lane = {zadd = {'ZADD', K .. 'due:' .. name}, name = name, last = 2}
            byName[name], lanes[#lanes + 1] = lane, lane
        end
        local last = lane.last
        lane.zadd[last + 1], lane.zadd[last + 2] = ARGV[i + 1], id
        lane.last = last + 2
        if sub(record, 7, 12) ~= kNoExpiry then
            local _, expires = timesOf(record)
            expiry[#expiry + 1] = expires
            expiry[#expiry + 1] = id
        end
    end
    return lanes, expiry, ids, records
end

local function pushAll(lanes, expiry, ids, records, groups)
    guard({expiry = 'zset', index = 'zset', lanes = 'set', events = 'stream'})
    for _, lane in ipairs(lanes) do
        lane.new = call('ZCARD', lane.zadd[2]) == 0  -- and refuses a key of a foreign type
    end
    for _, lane in ipairs(lanes) do
        if lane.new then
            call('SADD', K .. 'lanes', lane.name)
        end
        setScores(lane.zadd, 'lanes', lane.name)
    end
    if #expiry > 2 then
        setScores(expiry, 'expiry')
    end
    index(ids, records)
    -- Last: this script cut short leaves ids without a job, and no job without its due time.
    storeRecords(groups, records)
    appendEvent('push', groups, nil, nil, function()
        local ordered, scores = {}, {}
        for _, group in ipairs(groups) do
            for _, at in ipairs(group.at) do
                ordered[#ordered + 1] = records[at]
                scores[#scores + 1] = ARGV[kFirst + (at - 1) * kStride + 1]
            end
        end
        return {'rec', cmsgpack.pack(ordered), 'due', concat(scores, ' ')}
    end)
end

local function pushOne(id, score, record, packed)
    local options = unpackOptions(packed)
    local old, refusal = jobToReplace(id, record, options)
    if refusal then
        return refusal
    end
    local job = jobOf(id, record)
    refusal = options.room and roomRefusal(job, record, options)
    if refusal then
        return refusal
    end
    call('ZCARD', job.lane)  -- refuses a key of a foreign type
    removeReplaced(job, options, old)
    enterLane(job, score)
    storeRecord(job, record, options)
    if options.room then
        reservePlace(job)
        if options.bytes > 0 then
            addWeight(job.recipient, #record)
        end
    end
    return 'ok', options.by, options.why
end

local lanes, expiry, ids, records = gather()
local groups = lanes and groupByHash(ids)
if lanes and not anyExists(groups) and not anyFinished(ids, records) then
    pushAll(lanes, expiry, ids, records, groups)
    return withEvent('ok')
end

checkKeyTypes()
local replies = pushEach(kStride, pushOne)
appendFinishEvent(endedForRoom)
return withEvent(replies)
