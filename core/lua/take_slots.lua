#!lua flags=allow-oom
--[[
take_slots -- slots of a topic's concurrency limit come to this shard from another one.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
    topic
    generation   of its slots
    shard        the number of the other one
    total        how many have left that one for here since the generation began

Returns  for each request how many came now, or "stale": the generation is another one

Touches  limits slots:* parked:* boxes wake; reads due:*

Why      The total, not the difference, is told: told twice, or late, it changes nothing. Whoever waits
         for the topic on this shard is woken.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
guard({limits = 'hash', boxes = 'zset'})

local function take(topic, generation, shard, total)
    local key = K .. 'slots:' .. topic
    local mine, _, all = limitsOf(topic)
    if all == 0 or call('HGET', key, 'generation') ~= generation then
        return 'stale'
    end
    local more = total - tonumber(call('HGET', key, 'from:' .. shard) or 0)
    if more <= 0 then
        return '0'
    end
    local whole = string.match(call('HGET', K .. 'limits', topic), '^%S+ (.*)$')
    call('HSET', key, 'from:' .. shard, string.format('%.0f', total))
    call('HDEL', key, 'asked')
    call('HSET', K .. 'limits', topic, string.format('%.0f', mine + more) .. ' ' .. whole)
    wakeLanes(topic)
    unpark(topic, math.min(more, kUnparked))
    return tostring(more)
end

local replies = {}
for i = kFirst, #ARGV, 4 do
    local topic, generation, shard, total = unpack(ARGV, i, i + 3)
    call('HLEN', K .. 'slots:' .. topic)  -- refuses a key of a foreign type
    call('ZCARD', K .. 'parked:' .. topic)
    replies[#replies + 1] = take(topic, generation, shard, tonumber(total))
end
return replies
