#!lua flags=allow-oom
--[[
give_slots -- slots of a topic's concurrency limit leave this shard for another one.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    topic
    generation   of its slots
    shard        the number of the other one
    most         slots; as many of them as no job holds leave
    at least     how many have left for it since the generation began, as it tells, or 0

Returns  for each request how many have left for that shard since the generation began, or "stale": the
         generation is another one, or has not been dealt out

Touches  limits slots:*; reads busy:*

Why      Slots leave one shard before they come to the other, so at no moment are there more of them
         than the limit allows. What has left is a number that only grows, so whoever finds that the
         other shard knows of fewer tells it, as often as it likes: nothing is lost with a daemon that
         dies in between. A shard that was restored to an older state learns here what it had given.
]]
--#include lib/topic.lua
guard({limits = 'hash'})

return answerEach(5, function(topic, generation, shard, most, atLeast)
    local key = K .. 'slots:' .. topic
    guard({['slots:' .. topic] = 'hash', ['busy:' .. topic] = 'zset'})
    local ownSlots, _, totalSlots = limitsOf(topic)
    if totalSlots == 0 or call('HGET', key, 'generation') ~= generation then
        return 'stale'
    end
    local givenBefore = tonumber(call('HGET', key, 'to:' .. shard) or 0)
    local free = math.max(0, ownSlots - call('ZCARD', K .. 'busy:' .. topic))
    local more = math.max(math.min(free, tonumber(most)), tonumber(atLeast) - givenBefore)
    if more > 0 then
        call('HSET', key, 'to:' .. shard, givenBefore + more)
        setSlots(topic, ownSlots - more)
    end
    return tostring(givenBefore + math.max(0, more))
end)
