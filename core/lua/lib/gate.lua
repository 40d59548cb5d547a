-- How much of each topic may be given out now. It only looks; claims keep the count (lib/lease.lua).
-- A shard that wants more than its slots of a topic says so in the first element of its reply: now, a
-- space, how many more, a space, the topic. The caller asks the other shards for them.
--
-- Needs  topic: limitsOf
-- Gives  kReaperTurn gated gates gateOf

local kSlack = 50000  -- us; kRateSlack of core/queue/topic.h
local kReaperTurn = 1000  -- ms: a lease that has run out blocks its topic until it is reaped

local gated = call('EXISTS', K .. 'paused', K .. 'limits') > 0
local gates = {}

-- When a topic of which this shard has no free slot may go on: when its first lease ends; at once
-- while other shards have slots and have not been asked for one.
local function opensAt(topic, gate)
    local asked = gate.borrows and tonumber(call('HGET', K .. 'slots:' .. topic, 'asked') or 0)
    if asked and asked <= now then
        return now
    end
    local first = tonumber(call('ZRANGE', K .. 'busy:' .. topic, 0, 0, 'WITHSCORES')[2] or 0)
    return first > now and first or now + kReaperTurn
end

-- What the limits of a topic leave: `room`, jobs; `opens`, ms, when there is none and it is known.
-- `borrows`: other shards have slots of it, too.
local function measure(topic, gate)
    gate.slots, gate.interval, gate.concurrency = limitsOf(topic)
    if gate.concurrency > 0 then
        gate.borrows = gate.slots < gate.concurrency
        gate.room = gate.slots - call('ZCARD', K .. 'busy:' .. topic)
        if gate.room <= 0 then
            gate.room, gate.full = 0, true
            gate.opens = opensAt(topic, gate)
            return
        end
    end
    if gate.interval > 0 then
        -- GCRA (ITU-T I.371): tokens come at an even interval, and a late claim catches up.
        local us = now * 1000
        gate.at = math.max(us, tonumber(call('HGET', K .. 'rate', topic) or 0))
        local early = gate.at - kSlack
        if early > us then
            gate.room, gate.opens = 0, math.ceil(early / 1000)
        else
            gate.room = math.min(gate.room, math.floor((us - early) / gate.interval) + 1)
        end
    end
end

local function gateOf(topic)
    local gate = gates[topic]
    if not gate then
        gate = {room = math.huge, slots = 0, concurrency = 0, interval = 0}
        gates[topic] = gate
        if call('HEXISTS', K .. 'paused', topic) == 1 then
            gate.room, gate.paused = 0, true
        else
            measure(topic, gate)
        end
    end
    return gate
end
