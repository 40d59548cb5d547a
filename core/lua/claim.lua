#!lua flags=allow-oom
--[[
claim -- give out what is due, by priority, then due, then arrival.

Transition   ready -> leased        (docs/job-lifecycle.md, row "claim")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
then for each request:
    channel
    max       jobs
    n         how many topics follow; 0 = every topic of the channel
    topic...

Returns  for each request a flat list: id, due score, past attempts, record, lease deadline,
         id, ...

Touches  due:* (of the ten priorities) lease expiry past j:* lanes events wake

Why      A job is ready when floor(score) <= now, so it goes straight from its lane to the lease;
         there is no promote step. What has expired is passed over: the row "expire" takes it.
         Many consumers of one topic who each want one job cost one look at its lanes.
]]
--#include lib/base.lua
--#include lib/outbox.lua
guard({lease = 'zset', expiry = 'zset', past = 'hash', lanes = 'set', events = 'stream'})

-- The arrival fraction is below one, so this bound is "due <= now".
local kNotYet = string.format('(%.0f', now + 1)
local kRounds = 10  -- through expired jobs that block the head of a lane
local kMostAtOnce = 1000  -- jobs, for several requests that ask for the same
-- The lanes of a request, a list for each priority.
local function lanesOf(channel, topics)
    local byPriority = {}
    for p = 0, 9 do
        byPriority[p] = {}
        for n, topic in ipairs(topics) do
            byPriority[p][n] = K .. 'due:' .. channel .. ':' .. p .. ':' .. topic
        end
    end
    if #topics > 0 then
        return byPriority
    end
    for _, name in ipairs(call('SMEMBERS', K .. 'lanes')) do
        local its, p = string.match(name, '^(%l+):(%d):')
        if its == channel then
            local lanes = byPriority[tonumber(p)]
            lanes[#lanes + 1] = K .. 'due:' .. name
        end
    end
    return byPriority
end

-- The due of several lanes of one priority, in order.
local function merged(lists, max)
    local jobs = {}
    for lane, found in pairs(lists) do
        for n = 1, #found, 2 do
            jobs[#jobs + 1] = {id = found[n], score = found[n + 1], at = tonumber(found[n + 1]),
                               lane = lane, rank = n}
        end
    end
    table.sort(jobs, function(a, b) return a.at < b.at or (a.at == b.at and a.rank < b.rank) end)
    local ids, scores, from = {}, {}, {}
    for n = 1, math.min(max, #jobs) do
        ids[n], scores[n], from[n] = jobs[n].id, jobs[n].score, jobs[n].lane
    end
    return ids, scores, from
end

-- The first `max` due of some lanes of one priority; `passed[lane]` are skipped. Lists of ids,
-- scores and lanes.
local function ripe(lanes, max, passed)
    local lists, count, only = {}, 0, nil
    for _, lane in ipairs(lanes) do
        local found = call('ZRANGEBYSCORE', lane, '-inf', kNotYet, 'WITHSCORES',
                           'LIMIT', passed[lane] or 0, max)
        if #found > 0 then
            lists[lane], count, only = found, count + 1, lane
        end
    end
    if count ~= 1 then
        return merged(lists, max)
    end
    local ids, scores, from, found = {}, {}, {}, lists[only]
    for n = 1, #found / 2 do
        ids[n], scores[n], from[n] = found[2 * n - 1], found[2 * n], only
    end
    return ids, scores, from
end

-- A number costs more as an argument than a string, and most jobs have the same ttr.
local deadlines = {}
local function deadlineIn(ttr)
    local text = deadlines[ttr]
    if not text then
        text = string.format('%.0f', now + ttr)
        deadlines[ttr] = text
    end
    return text
end

-- Leases up to `max` of one priority and adds them to `jobs`; false when nothing was due. What has
-- expired is passed over; an id without a record leaves its lane for good.
local function take(lanes, max, passed, jobs)
    local ids, scores, from = ripe(lanes, max, passed)
    local records = fetch(ids)
    local lease, out, timed = {'ZADD', K .. 'lease'}, {}, {}
    for n = 1, #ids do
        local id, record, lane = ids[n], records[n], from[n]
        local ttr, expires
        if record then
            ttr, expires = timesOf(record)
        end
        if record and (not ttr or (expires > 0 and expires <= now)) then
            passed[lane] = (passed[lane] or 0) + 1
        else
            local leaving = out[lane] or {'ZREM', lane}
            out[lane] = leaving
            leaving[#leaving + 1] = id
        end
        if ttr and (expires == 0 or expires > now) then
            local deadline, last = deadlineIn(ttr), #lease
            lease[last + 1], lease[last + 2] = deadline, id
            timed[#timed + 1] = expires > 0 and id or nil
            last = #jobs
            jobs[last + 1] = {id, scores[n], record, deadline}
        end
    end
    for _, leaving in pairs(out) do
        call(unpack(leaving))
    end
    if #timed > 0 then
        call('ZREM', K .. 'expiry', unpack(timed))
    end
    if #lease > 2 then
        call(unpack(lease))
    end
    return #ids > 0
end

local function claim(channel, topics, max)
    local jobs, passed, lanes = {}, {}, lanesOf(channel, topics)
    for p = 0, 9 do
        local rounds = #lanes[p] > 0 and kRounds or 0
        while rounds > 0 and #jobs < max do
            rounds = take(lanes[p], max - #jobs, passed, jobs) and rounds - 1 or 0
        end
    end
    return jobs
end

-- Claims once for several requests that ask for the same, and deals out in their order. The flat
-- lists go to `replies`, the ids to `taken`.
local function serve(requests, total, replies, taken)
    local jobs = claim(requests[1].channel, requests[1].topics, total)
    local ids = {}
    for n = 1, #jobs do
        ids[n] = jobs[n][1]
        taken[#taken + 1] = ids[n]
    end
    local past = #ids > 0 and call('HMGET', K .. 'past', unpack(ids))
    local next = 1
    for _, request in ipairs(requests) do
        local reply = {}
        for n = next, math.min(next + request.max - 1, #jobs) do
            local job, at = jobs[n], 5 * (n - next)
            reply[at + 1], reply[at + 2] = job[1], job[2]
            reply[at + 3], reply[at + 4], reply[at + 5] = past[n] or '0', job[3], job[4]
        end
        next = next + request.max
        replies[#replies + 1] = reply
    end
end

local function requestAt(i)
    local last = i + 2 + tonumber(ARGV[i + 2])
    return {channel = ARGV[i], max = tonumber(ARGV[i + 1]), topics = {unpack(ARGV, i + 3, last)},
            asks = ARGV[i] .. ' ' .. concat(ARGV, ' ', i + 3, last), next = last + 1}
end

local head = call('ZRANGE', K .. 'lease', 0, 0, 'WITHSCORES')[2]
local replies, taken, alike, total, i = {}, {}, {}, 0, 3
while i <= #ARGV do
    local request = requestAt(i)
    if alike[1] and (request.asks ~= alike[1].asks or total + request.max > kMostAtOnce) then
        serve(alike, total, replies, taken)
        alike, total = {}, 0
    end
    alike[#alike + 1], total = request, total + request.max
    i = request.next
end
serve(alike, total, replies, taken)

local nearest
for ttr in pairs(deadlines) do
    nearest = math.min(nearest or now + ttr, now + ttr)
end
if nearest and (not head or nearest < tonumber(head)) then
    wake('leases', nearest)
end
append('claim', taken)
return replies
