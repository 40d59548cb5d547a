#!lua flags=allow-oom
--[[
take_slots -- slots of a topic's concurrency limit come to this shard from another one.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    topic
    generation   of its slots
    shard        the number of the other one
    given        how many slots that one has given to this one since the generation began

Returns  for each request how many came now, or "stale": the generation is another one

Touches  limits slots:* parked:* boxes wake; reads due:*

Why      A request carries the sum, not the difference, so that one repeated or late changes nothing.
         Whoever waits for the topic on this shard is woken.
]]
--#include lib/topic.lua
guard({limits = 'hash', boxes = 'zset'})

return answerEach(4, function(topic, generation, shard, givenSoFar)
    local key = K .. 'slots:' .. topic
    guard({['slots:' .. topic] = 'hash', ['parked:' .. topic] = 'zset'})
    local ownSlots, _, totalSlots = limitsOf(topic)
    if totalSlots == 0 or call('HGET', key, 'generation') ~= generation then
        return 'stale'
    end
    local arrived = tonumber(givenSoFar) - tonumber(call('HGET', key, 'from:' .. shard) or 0)
    if arrived <= 0 then
        return '0'
    end
    call('HSET', key, 'from:' .. shard, givenSoFar)
    call('HDEL', key, 'asked')  -- until when it need not ask again: it may at once
    setSlots(topic, ownSlots + arrived)
    wakeLanes(topic)
    unpark(topic, math.min(arrived, kUnparkedPerCall))
    return tostring(arrived)
end)
