-- How much of each topic may be given out now. It only looks; claims keep the count (lib/lease.lua).

local kSlack = 50000  -- us; kRateSlack of core/queue/topic.h
local kReaperTurn = 1000  -- ms: a lease that has run out blocks its topic until it is reaped

local gated = call('EXISTS', K .. 'paused', K .. 'limits') > 0
local gates = {}

-- What the limits of a topic leave: `room`, jobs; `opens`, ms, when there is none and it is known.
local function measure(topic, gate)
    gate.concurrency, gate.interval = limitsOf(topic)
    if gate.concurrency > 0 then
        local busy = K .. 'busy:' .. topic
        gate.room = gate.concurrency - call('ZCARD', busy)
        if gate.room <= 0 then
            local first = tonumber(call('ZRANGE', busy, 0, 0, 'WITHSCORES')[2])
            gate.room, gate.full = 0, true
            gate.opens = first > now and first or now + kReaperTurn
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
        gate = {room = math.huge, concurrency = 0, interval = 0}
        gates[topic] = gate
        if call('HEXISTS', K .. 'paused', topic) == 1 then
            gate.room, gate.paused = 0, true
        else
            measure(topic, gate)
        end
    end
    return gate
end
