#!lua flags=allow-oom
--[[
limit -- how much of a topic goes on at once, and how fast.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    topic
    by, why    the actor and the reason
    tell         "1" = this shard keeps the event, "0" = another one does
    generation   of the topic's slots: "" = there is one shard, it has all of them; "0" = make a new
                 one, for the first shard; else the first shard's
    interval     microseconds between two jobs of this shard, 0 = no limit
    concurrency  and the next two as they were asked for, of all shards together: how many at once, 0 = no
                 limit
    jobs, per    so many in so many ms; 0 jobs = no limit

Returns  for each request "ok" | "more" (mailboxes still wait for it: ask again), a space, the
         generation, a space, and how many of its jobs are leased here; or "stale": the shard has heard
         of a later generation

Touches  limits slots:* rate busy:* parked:* boxes lease j:* events wake

Why      A concurrency limit counts who has the topic's jobs from the moment it is set, so it looks
         at the leases once; afterwards claims and the ends of leases keep the count. Whoever waits
         for the old limits is woken. With several shards a new generation begins without a slot on
         any of them: deal_slots hands them out when all shards have heard of it and have said how many
         jobs they have leased, so that the old slots and the new ones are never used side by side.
]]
--#include lib/topic.lua
guard({limits = 'hash', rate = 'hash', lease = 'zset', boxes = 'zset', events = 'stream'})

local kLeasesPerStep = 500  -- leases read at a time
local kMostLeases = 10000  -- leases examined: a call must be short
local kGenerationTtl = 86400  -- s for which the generation of a removed limit is kept

-- Puts the leases of a topic that had no limit so far into its set busy:*.
local function collectLeases(topic)
    local busy, last = K .. 'busy:' .. topic, math.min(call('ZCARD', K .. 'lease'), kMostLeases) - 1
    for first = 0, last, kLeasesPerStep do
        local ids, deadlines = {}, {}
        local leases = call('ZRANGE', K .. 'lease', first, first + kLeasesPerStep - 1, 'WITHSCORES')
        for n = 1, #leases, 2 do
            ids[#ids + 1], deadlines[#deadlines + 1] = leases[n], leases[n + 1]
        end
        for n, record in ipairs((fetch(ids))) do
            if record and topicOf(record) == topic then
                call('ZADD', busy, deadlines[n], ids[n])
            end
        end
    end
end

-- The generation that begins or goes on; nothing when the shard has heard of a later one.
local function generationOf(slotsKey, requestedGeneration)
    local current = tonumber(call('HGET', slotsKey, 'generation') or 0)
    if requestedGeneration == '0' then
        return math.max(now, current + 1)
    end
    return tonumber(requestedGeneration) >= current and tonumber(requestedGeneration) or nil
end

-- Returns the number of slots that this shard has from now on.
local function beginGeneration(slotsKey, topic, generation, concurrency)
    if generation == '' then
        call('DEL', slotsKey)
        return concurrency
    end
    local isContinued = call('HGET', slotsKey, 'generation') == generation
    if not isContinued then
        call('DEL', slotsKey)
        call('HSET', slotsKey, 'generation', generation)
    end
    if concurrency == 0 then
        call('EXPIRE', slotsKey, kGenerationTtl)
        return 0
    end
    local ownSlots = limitsOf(topic)
    return isContinued and ownSlots or 0
end

-- The current limits as requested for all shards together.
local function requestedLimitsOf(topic)
    return string.match(call('HGET', K .. 'limits', topic) or '', '^%S+ %S+ (.*)$') or '0 0 0'
end

local function setLimits(topic, generation, interval, concurrency, limits)
    local slotsKey = K .. 'slots:' .. topic
    local _, oldInterval, oldConcurrency = limitsOf(topic)
    if concurrency == 0 then
        call('DEL', K .. 'busy:' .. topic)
    elseif oldConcurrency == 0 then
        call('DEL', K .. 'busy:' .. topic)
        collectLeases(topic)
    end
    if oldInterval ~= tonumber(interval) then
        call('HDEL', K .. 'rate', topic)  -- or a slow rate's next job would be waited for
    end
    local ownSlots = beginGeneration(slotsKey, topic, generation, concurrency)
    if concurrency == 0 and tonumber(interval) == 0 then
        call('HDEL', K .. 'limits', topic)
    else
        call('HSET', K .. 'limits', topic, concat({ownSlots, interval, limits}, ' '))
    end
end

return answerEach(9, function(topic, by, why, tell, requestedGeneration, interval, concurrency, jobs, per)
    guard({['busy:' .. topic] = 'zset', ['parked:' .. topic] = 'zset', ['slots:' .. topic] = 'hash'})
    local generation = requestedGeneration == '' and '' or generationOf(K .. 'slots:' .. topic, requestedGeneration)
    if not generation then
        return 'stale'
    end
    generation = generation == '' and '' or string.format('%.0f', generation)
    local limits = concat({concurrency, jobs, per}, ' ')
    local before = requestedLimitsOf(topic)
    setLimits(topic, generation, interval, tonumber(concurrency), limits)
    wakeLanes(topic)
    if tell == '1' then
        appendTopic('limit', topic, by, why, limits, nil, before)
    end
    return string.format('%s %s %d', unpark(topic, kUnparkedPerCall) and 'more' or 'ok', generation,
                         call('ZCARD', K .. 'busy:' .. topic))
end)
