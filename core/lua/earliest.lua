#!lua flags=no-writes
--[[
earliest -- when something is due next.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    source     "lanes" | "mailboxes" | "leases" | "expiry"
    channel    for lanes, else ""
    n          how many topics follow; 0 = every topic of the channel
    topic...

Returns  for each request the next moment of the source, ms, "" when there is none

Reads    due:* lanes boxes lease expiry held paused limits rate busy:* slots:*

Why      The due watcher sleeps until then; a wake-up tells it when something nearer comes. A lane's
         moment is when a job of it may be given out: what has expired is passed over, a paused
         topic has none, and a limited one waits for its limits; else the watcher would come in vain
         and again and again.
]]
--#include lib/topic_limits.lua

local kJobsChecked = 20  -- jobs at the head of a lane
local kSets = {mailboxes = {K .. 'boxes'}, leases = {K .. 'lease'}, expiry = {K .. 'expiry', K .. 'held'}}

local function earliestOf(sets, momentOf)
    local least
    for _, set in ipairs(sets) do
        local score = call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]
        if score and momentOf and (not least or tonumber(score) < tonumber(least)) then
            score = momentOf(set, score)  -- never sooner than the head
        end
        if score and (not least or tonumber(score) < tonumber(least)) then
            least = score
        end
    end
    return least or ''
end

-- The first score of a lane whose job has not expired; the head's, when there are too many.
local function firstLiving(set, head)
    local found = call('ZRANGE', set, 0, kJobsChecked - 1, 'WITHSCORES')
    local ids = {}
    for n = 1, #found, 2 do
        ids[#ids + 1] = found[n]
    end
    for n, expires in ipairs(call('ZMSCORE', K .. 'expiry', unpack(ids))) do
        if not expires or tonumber(expires) > now then
            return found[2 * n]
        end
    end
    return #ids == kJobsChecked and head or nil
end

-- Whether an expired job has not been removed yet.
local firstExpiry = call('ZRANGE', K .. 'expiry', 0, 0, 'WITHSCORES')[2]
local hasExpired = firstExpiry and tonumber(firstExpiry) <= now

-- When a job of a lane may be given out; nothing when that is not known.
local function laneMoment(set, head)
    local moment = hasExpired and firstLiving(set, head) or not hasExpired and head
    local quota = moment and restricted and quotaOf(topicOfLane(sub(set, kLaneNameStart)))
    if not quota or quota.room > 0 then
        return moment
    end
    return quota.opens and string.format('%.0f', math.max(quota.opens, math.floor(tonumber(moment))))
end

return answerLists(3, 1, function(first, last, source, channel)
    if kSets[source] then
        return earliestOf(kSets[source])
    end
    local lanes = {}
    for _, ofPriority in pairs(lanesOf(channel, {unpack(ARGV, first, last)})) do
        for _, lane in ipairs(ofPriority) do
            lanes[#lanes + 1] = lane
        end
    end
    return earliestOf(lanes, laneMoment)
end)
