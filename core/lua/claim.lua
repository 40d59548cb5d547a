#!lua flags=allow-oom
--[[
claim -- give out what is due, by priority, then due, then arrival.

Transition   ready -> leased        (docs/job-lifecycle.md, row "claim")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    channel
    max       jobs
    who       packed (lib/outbox.lua): the operator who takes them; "" = a worker
    n         how many topics follow; 0 = every topic of the channel
    topic...

Returns  for each request a flat list: now (and which topic wants slots of other shards, lib/topic_limits.lua),
         then for each job id, due score, failed attempts, record

Touches  due:* (of the ten priorities) lease expiry past j:* lanes events wake; paused limits rate
         busy:*; reads slots:*

Why      A job is ready when floor(score) <= now, so it goes straight from its lane to the lease;
         there is no promote step. What has expired is passed over: the row "expire" takes it.
         Many consumers of one topic who each want one job cost one look at its lanes. Of a paused
         topic nothing is given out, of a limited one what its limits leave.
]]
--#include lib/lease.lua
local sizes = guard({lease = 'zset', expiry = 'zset', past = 'hash', events = 'stream'})
if sizes.past > 0 then
    guard({forgotten = 'hash'})
end

-- The arrival fraction is below one, so this bound is "due <= now".
local kNotYet = string.format('(%.0f', now + 1)
if restricted then
    guard({paused = 'hash', limits = 'hash', rate = 'hash'})
end
local kMostRounds = 10  -- of passing over expired jobs at the head of a lane
local kMostJobsPerClaim = 1000  -- jobs, for several requests that ask for the same
local claimedGroupsBy = {}  -- by `who`: what was given out, as groups of ids (groupByHash), for the events
local claimedGroups  -- those of the current request

-- The due of several lanes of one priority, in order: a flat list of id and score, and the lane of
-- each id.
local function mergeLanes(lists, max)
    local jobs = {}
    for lane, found in pairs(lists) do
        for n = 1, #found, 2 do
            jobs[#jobs + 1] = {id = found[n], score = found[n + 1], at = tonumber(found[n + 1]),
                               lane = lane, rank = n}
        end
    end
    table.sort(jobs, function(a, b) return a.at < b.at or (a.at == b.at and a.rank < b.rank) end)
    local found, from = {}, {}
    for n = 1, math.min(max, #jobs) do
        found[2 * n - 1], found[2 * n], from[jobs[n].id] = jobs[n].id, jobs[n].score, jobs[n].lane
    end
    return found, from
end

local wantedSlots  -- a topic of which more is due than this shard has slots for, and how many

-- How many of a lane may be given out, at most `max`; sets `wantedSlots` when slots are lacking.
local function allowedOf(lane, max)
    if not restricted then
        return max
    end
    local topic = topicOfLane(sub(lane, kLaneNameStart))
    local room = roomOf(topic)
    if room < max and not wantedSlots and quotaOf(topic).borrows then
        local more = math.min(max, call('ZCOUNT', lane, '-inf', kNotYet)) - room
        wantedSlots = more > 0 and string.format(' %d %s', more, topic) or nil
    end
    return math.min(max, room)
end

-- The first `max` due of some lanes of one priority; `passed[lane]` are skipped. A flat list of id
-- and score, and their lane, or the lane of each id where there are several.
local function dueOf(lanes, max, passed)
    local lists, count, only = {}, 0, nil
    local maxText = tostring(max)  -- a number among the arguments of a command costs more than all else in it
    for n = 1, #lanes do
        local lane = lanes[n]
        local most = allowedOf(lane, max)
        local found = most > 0 and call('ZRANGEBYSCORE', lane, '-inf', kNotYet, 'WITHSCORES', 'LIMIT',
                                        passed[lane] or '0', most == max and maxText or most) or {}
        if #found > 0 then
            lists[lane], count, only = found, count + 1, lane
        end
    end
    if count > 1 then
        return mergeLanes(lists, max)
    end
    return lists[only] or {}, only
end

local function leaveLanes(ids, from)
    if type(from) == 'string' then
        call('ZREM', from, unpack(ids))
        return
    end
    for _, id in ipairs(ids) do
        call('ZREM', from[id], id)
    end
end

-- Counts what was leased against the limits of its topics; `zadd` is the command that leased it.
local function countAgainstLimits(zadd, from)
    local leases, topics = {}, {}
    for n = 3, #zadd, 2 do
        local lane = type(from) == 'string' and from or from[zadd[n + 1]]
        local topic = topics[lane] or topicOfLane(sub(lane, kLaneNameStart))
        topics[lane] = topic
        leases[topic] = leases[topic] or {}
        table.insert(leases[topic], zadd[n])
        table.insert(leases[topic], zadd[n + 1])
    end
    for topic, topicLeases in pairs(leases) do
        useQuota(topic, topicLeases)
    end
end

-- Leases up to `max` of one priority and adds them to `rows`; false when nothing was due. What has
-- expired is passed over; an id without a record leaves its lane for good.
local function leaseDue(lanes, max, passed, rows)
    local found, from = dueOf(lanes, max, passed)
    local ids, strays, leased, withExpiry = {}, {}, {}, {}
    for n = 1, #found / 2 do
        ids[n] = found[2 * n - 1]
    end
    local records, groups = fetch(ids)
    local zadd, row = {'ZADD', K .. 'lease'}, #rows
    for n = 1, #ids do
        local id, record = ids[n], records[n]
        local terms = record and termsOf(record)
        if terms and terms.unexpired then
            local last = 2 * #leased
            leased[#leased + 1] = id
            zadd[last + 3], zadd[last + 4] = terms.deadline, id
            rows[row + 1], rows[row + 2], rows[row + 3], rows[row + 4] = id, found[2 * n], '0', record
            row = row + 4
            if terms.hasExpiry then
                withExpiry[#withExpiry + 1] = id
            end
        elseif terms then
            local lane = type(from) == 'string' and from or from[id]
            passed[lane] = (passed[lane] or 0) + 1
        else
            strays[#strays + 1] = id
        end
    end
    if #strays > 0 then
        leaveLanes(strays, from)
    end
    if #leased > 0 then
        leaveLanes(leased, from)
        setScores(zadd, 'leases')
        if restricted then
            countAgainstLimits(zadd, from)
        end
    end
    if #withExpiry > 0 then
        call('ZREM', K .. 'expiry', unpack(withExpiry))
    end
    for _, group in ipairs(#leased == #ids and groups or groupByHash(leased)) do
        claimedGroups[#claimedGroups + 1] = group
    end
    return #ids > 0
end

-- Claims once for several requests that ask for the same, and deals out in their order.
local function serve(channel, who, topics, wants, total, replies)
    local rows, passed, lanes = {}, {}, lanesOf(channel, topics)
    wantedSlots = nil
    claimedGroups = claimedGroupsBy[who] or {}
    claimedGroupsBy[who] = claimedGroups
    for p = 0, 9 do
        local rounds = #lanes[p] > 0 and kMostRounds or 0
        while rounds > 0 and #rows < 4 * total do
            rounds = leaseDue(lanes[p], total - #rows / 4, passed, rows) and rounds - 1 or 0
        end
    end
    fillFailedAttempts(rows)
    local first = 1
    for _, want in ipairs(wants) do
        local last = math.min(first + 4 * want - 1, #rows)
        local short = wantedSlots and last < first + 4 * want - 1
        replies[#replies + 1] = {short and ARGV[1] .. wantedSlots or ARGV[1], unpack(rows, first, last)}
        first = first + 4 * want
    end
end

-- Whether the requests at these positions ask for the same.
local function isSameRequest(i, j)
    for n = 0, 3 + tonumber(ARGV[i + 3]) do
        if n ~= 1 and ARGV[i + n] ~= ARGV[j + n] then
            return false
        end
    end
    return true
end

local replies, i = {}, kFirst
while i <= #ARGV do
    if ARGV[i + 3] == '0' then
        guard({lanes = 'set'})  -- read for this request, maybe after the jobs of another one were leased
        break
    end
    i = i + 4 + tonumber(ARGV[i + 3])
end
i = kFirst
while i <= #ARGV do
    local width, wants, total, j = 4 + tonumber(ARGV[i + 3]), {}, 0, i
    repeat
        wants[#wants + 1] = tonumber(ARGV[j + 1])
        total = total + wants[#wants]
        j = j + width
    until j > #ARGV or not isSameRequest(i, j) or total + tonumber(ARGV[j + 1]) > kMostJobsPerClaim
    serve(ARGV[i], ARGV[i + 2], {unpack(ARGV, i + 4, i + width - 1)}, wants, total, replies)
    i = j
end
for who, groups in pairs(claimedGroupsBy) do
    appendEvent('claim', groups, unpackActor(who))
end
return replies
