#!lua
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
]]
--#include lib/base.lua
--#include lib/outbox.lua
guard({lease = 'zset', expiry = 'zset', past = 'hash', lanes = 'set', events = 'stream'})

-- The arrival fraction is below one, so this bound is "due <= now".
local kNotYet = string.format('(%.0f', now + 1)
local kRounds = 10  -- through expired jobs that block the head of a lane
local taken = {}

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

-- The first `max` due of some lanes of one priority, in order; `passed[lane]` are skipped.
local function ripe(lanes, max, passed)
    local jobs, sources = {}, 0
    for _, lane in ipairs(lanes) do
        local found = call('ZRANGEBYSCORE', lane, '-inf', kNotYet, 'WITHSCORES',
                           'LIMIT', passed[lane] or 0, max)
        sources = sources + (#found > 0 and 1 or 0)
        for n = 1, #found, 2 do
            jobs[#jobs + 1] = {id = found[n], score = found[n + 1], lane = lane, rank = n}
        end
    end
    if sources > 1 then
        table.sort(jobs, function(a, b)
            local first, second = tonumber(a.score), tonumber(b.score)
            return first < second or (first == second and a.rank < b.rank)
        end)
    end
    for n = #jobs, max + 1, -1 do
        jobs[n] = nil
    end
    return jobs
end

-- Splits candidates into those to lease and what leaves its lane: an id without a record leaves
-- for good.
local function sift(jobs, passed)
    local ids, live, out, timed = {}, {}, {}, {}
    for n, job in ipairs(jobs) do
        ids[n] = job.id
    end
    local records = fetch(ids)
    for n, job in ipairs(jobs) do
        local ttr, expires
        if records[n] then
            ttr, expires = headerOf(records[n])
        end
        if records[n] and (not ttr or (expires > 0 and expires <= now)) then
            passed[job.lane] = (passed[job.lane] or 0) + 1
        else
            local leaving = out[job.lane] or {'ZREM', job.lane}
            out[job.lane] = leaving
            leaving[#leaving + 1] = job.id
            if records[n] then
                job.record, job.deadline = records[n], now + ttr
                live[#live + 1] = job
                timed[#timed + 1] = expires > 0 and job.id or nil
            end
        end
    end
    return live, out, timed
end

local function lease(live, out, timed)
    for _, leaving in pairs(out) do
        call(unpack(leaving))
    end
    if #timed > 0 then
        call('ZREM', K .. 'expiry', unpack(timed))
    end
    local add = {'ZADD', K .. 'lease'}
    for n, job in ipairs(live) do
        add[2 * n + 1], add[2 * n + 2] = job.deadline, job.id
    end
    if #live > 0 then
        call(unpack(add))
    end
end

local function claim(channel, topics, max)
    local jobs, passed, lanes = {}, {}, lanesOf(channel, topics)
    for p = 0, 9 do
        for _ = 1, kRounds do
            local candidates = {}
            if #jobs < max then
                candidates = ripe(lanes[p], max - #jobs, passed)
            end
            if #candidates == 0 then
                break
            end
            local live, out, timed = sift(candidates, passed)
            lease(live, out, timed)
            for _, job in ipairs(live) do
                jobs[#jobs + 1] = job
            end
        end
    end
    return jobs
end

local function answer(jobs)
    local ids, reply = {}, {}
    for n, job in ipairs(jobs) do
        ids[n] = job.id
        taken[#taken + 1] = job
    end
    if #ids == 0 then
        return reply
    end
    local past = call('HMGET', K .. 'past', unpack(ids))
    for n, job in ipairs(jobs) do
        local at = 5 * (n - 1)
        reply[at + 1], reply[at + 2] = job.id, job.score
        reply[at + 3], reply[at + 4] = past[n] or '0', job.record
        reply[at + 5] = job.deadline
    end
    return reply
end

local head = call('ZRANGE', K .. 'lease', 0, 0, 'WITHSCORES')[2]
local replies, i = {}, 3
while i <= #ARGV do
    local topics = {unpack(ARGV, i + 3, i + 2 + tonumber(ARGV[i + 2]))}
    replies[#replies + 1] = answer(claim(ARGV[i], topics, tonumber(ARGV[i + 1])))
    i = i + 3 + #topics
end

local ids, nearest = {}, nil
for n, job in ipairs(taken) do
    ids[n] = job.id
    nearest = math.min(nearest or job.deadline, job.deadline)
end
if nearest and (not head or nearest < tonumber(head)) then
    wake('leases', nearest)
end
append('claim', ids)
return replies
