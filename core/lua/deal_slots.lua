#!lua flags=allow-oom
--[[
deal_slots -- the slots of a new concurrency limit are dealt out, all from the first shard.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix: the first one's
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    topic
    generation   of its slots, of which every shard has heard
    n            how many shards follow
    slots...     for the second shard, the third ...: at least as many as it has jobs leased

Returns  for each request "ok" (they are dealt out, now or before), "busy" (more of its jobs are leased
         than the limit allows; ask again when fewer are) or "stale": the generation is another one

Touches  limits slots:* parked:* boxes wake; reads busy:* due:*

Why      Since a shard has heard of the generation it gives nothing out, so what it told of its leases
         then is the most that it has now. Slots are dealt out once: whoever comes second finds what
         the first one decided, and tells the others (take_slots).
]]
--#include lib/topic.lua
guard({limits = 'hash', boxes = 'zset'})

local function deal(topic, generation, parts)
    local key, dealtToOthers = K .. 'slots:' .. topic, 0
    local _, _, totalSlots = limitsOf(topic)
    if totalSlots == 0 or call('HGET', key, 'generation') ~= generation then
        return 'stale'
    end
    if call('HEXISTS', key, 'dealt') == 1 then
        return 'ok'
    end
    for _, part in ipairs(parts) do
        dealtToOthers = dealtToOthers + tonumber(part)
    end
    if dealtToOthers + call('ZCARD', K .. 'busy:' .. topic) > totalSlots then
        return 'busy'
    end
    call('HSET', key, 'dealt', string.format('%.0f', totalSlots))
    call('HDEL', key, 'asked')
    for n, part in ipairs(parts) do
        call('HSET', key, 'to:' .. n, part)
    end
    setSlots(topic, totalSlots - dealtToOthers)
    wakeLanes(topic)
    unpark(topic, kUnparkedPerCall)
    return 'ok'
end

return answerLists(3, 1, function(first, last, topic, generation)
    guard({['slots:' .. topic] = 'hash', ['busy:' .. topic] = 'zset', ['parked:' .. topic] = 'zset'})
    return deal(topic, generation, {unpack(ARGV, first, last)})
end)
