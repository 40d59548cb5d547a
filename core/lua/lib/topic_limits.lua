-- How much of each topic may be given out now. Only reads; claims update the counts
-- (lib/lease.lua). A shard that wants more than its slots of a topic says so in the first element
-- of its reply: now, a space, how many more, a space, the topic. The caller asks the other shards
-- for them.
--
-- Needs  topic: limitsOf
-- Gives  kReaperTurn restricted quotas quotaOf kLaneNameStart lanesOf
--#include lib/topic.lua

local kRateSlack = 50000  -- us; kRateSlack of core/queue/topic.h
local kReaperTurn = 1000  -- ms: a lease that has run out blocks its topic until it is reaped

local kLaneNameStart = #K + 5  -- where in a lane's key its name begins

-- As in names of lanes: a number costs more to write than the rest of the name.
local kPriorities = {[0] = '0:', '1:', '2:', '3:', '4:', '5:', '6:', '7:', '8:', '9:'}

-- The keys of the lanes of some topics of a channel, of all of them where none is named: a list for each priority.
local function lanesOf(channel, topics)
    local byPriority, prefix = {}, K .. 'due:' .. channel .. ':'
    for p = 0, 9 do
        local lanes = {}
        for n = 1, #topics do
            lanes[n] = prefix .. kPriorities[p] .. topics[n]
        end
        byPriority[p] = lanes
    end
    if #topics > 0 then
        return byPriority
    end
    for _, name in ipairs(call('SMEMBERS', K .. 'lanes')) do
        local laneChannel, p = string.match(name, '^(%l+):(%d):')
        if laneChannel == channel then
            local lanes = byPriority[tonumber(p)]
            lanes[#lanes + 1] = K .. 'due:' .. name
        end
    end
    return byPriority
end

-- Whether any topic of this shard is paused or limited.
local restricted = call('EXISTS', K .. 'paused', K .. 'limits') > 0
local quotas = {}

-- When a topic of which this shard has no free slot may go on: when its first lease ends; at once
-- while other shards have slots and have not been asked for one.
local function opensAt(topic, quota)
    local nextAsk = quota.borrows and tonumber(call('HGET', K .. 'slots:' .. topic, 'asked') or 0)
    if nextAsk and nextAsk <= now then
        return now
    end
    local first = tonumber(call('ZRANGE', K .. 'busy:' .. topic, 0, 0, 'WITHSCORES')[2] or 0)
    return first > now and first or now + kReaperTurn
end

-- Computes what the limits of a topic leave: `room`, jobs; `opens`, ms, when there is none and it
-- is known. `full`: no slot of this shard is free; `borrows`: other shards have slots of it, too;
-- `rateBusyUntil`, us: as the hash `rate` has it.
local function measure(topic, quota)
    quota.slots, quota.interval, quota.concurrency = limitsOf(topic)
    if quota.concurrency > 0 then
        quota.borrows = quota.slots < quota.concurrency
        quota.room = quota.slots - call('ZCARD', K .. 'busy:' .. topic)
        if quota.room <= 0 then
            quota.room, quota.full = 0, true
            quota.opens = opensAt(topic, quota)
            return
        end
    end
    if quota.interval > 0 then
        -- GCRA (ITU-T I.371): tokens come at an even interval, and a late claim catches up.
        local us = now * 1000
        quota.rateBusyUntil = math.max(us, tonumber(call('HGET', K .. 'rate', topic) or 0))
        local earliest = quota.rateBusyUntil - kRateSlack
        if earliest > us then
            quota.room, quota.opens = 0, math.ceil(earliest / 1000)
        else
            quota.room = math.min(quota.room, math.floor((us - earliest) / quota.interval) + 1)
        end
    end
end

local function quotaOf(topic)
    local quota = quotas[topic]
    if not quota then
        quota = {room = math.huge, slots = 0, concurrency = 0, interval = 0}
        if call('HEXISTS', K .. 'paused', topic) == 1 then
            quota.room, quota.paused = 0, true
        else
            measure(topic, quota)  -- which may meet a key of a foreign type
        end
        quotas[topic] = quota
    end
    return quota
end
