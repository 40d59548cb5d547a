#!lua flags=allow-oom
--[[
deal_slots -- the slots of a new concurrency limit are dealt out, all from the first shard.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix: the first one's
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
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
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
guard({limits = 'hash', boxes = 'zset'})

local function deal(topic, generation, parts)
    local key, gone = K .. 'slots:' .. topic, 0
    local _, _, all = limitsOf(topic)
    if all == 0 or call('HGET', key, 'generation') ~= generation then
        return 'stale'
    end
    if call('HEXISTS', key, 'dealt') == 1 then
        return 'ok'
    end
    for _, part in ipairs(parts) do
        gone = gone + tonumber(part)
    end
    if gone + call('ZCARD', K .. 'busy:' .. topic) > all then
        return 'busy'
    end
    local whole = string.match(call('HGET', K .. 'limits', topic), '^%S+ (.*)$')
    call('HSET', key, 'dealt', string.format('%.0f', all))
    call('HDEL', key, 'asked')
    for n, part in ipairs(parts) do
        call('HSET', key, 'to:' .. n, part)
    end
    call('HSET', K .. 'limits', topic, string.format('%.0f', all - gone) .. ' ' .. whole)
    wakeLanes(topic)
    unpark(topic, kUnparked)
    return 'ok'
end

local replies, i = {}, kFirst
while i <= #ARGV do
    local count = tonumber(ARGV[i + 2])
    call('HLEN', K .. 'slots:' .. ARGV[i])  -- refuses a key of a foreign type
    call('ZCARD', K .. 'busy:' .. ARGV[i])
    call('ZCARD', K .. 'parked:' .. ARGV[i])
    replies[#replies + 1] = deal(ARGV[i], ARGV[i + 1], {unpack(ARGV, i + 3, i + 2 + count)})
    i = i + 3 + count
end
return replies
