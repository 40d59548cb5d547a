#!lua flags=allow-oom
--[[
limit -- how much of a topic goes on at once, and how fast.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
then for each request:
    topic
    by           the actor
    why          the reason
    tell         "1" = this shard keeps the event, "0" = another one does
    concurrency  jobs leased at a time on this shard, 0 = no limit
    interval     microseconds between two jobs of this shard, 0 = no limit
    whole        "<concurrency> <jobs> <per ms>", what was asked for all shards together

Returns  for each request "ok" | "more" (mailboxes still wait for it: ask again)

Touches  limits rate busy:* parked:* boxes lease j:* events wake

Why      A concurrency limit counts who has the topic's jobs from the moment it is set, so it looks
         at the leases once; afterwards claims and the ends of leases keep the count. Whoever waits
         for the old limits is woken.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
guard({limits = 'hash', rate = 'hash', lease = 'zset', boxes = 'zset', events = 'stream'})

local kStep = 500  -- leases read at a time
local kMost = 10000  -- leases looked at: a call must end soon

-- The leases of a topic that nobody has counted so far.
local function countBusy(topic)
    local busy, last = K .. 'busy:' .. topic, math.min(call('ZCARD', K .. 'lease'), kMost) - 1
    for first = 0, last, kStep do
        local ids, deadlines = {}, {}
        local found = call('ZRANGE', K .. 'lease', first, first + kStep - 1, 'WITHSCORES')
        for n = 1, #found, 2 do
            ids[#ids + 1], deadlines[#deadlines + 1] = found[n], found[n + 1]
        end
        for n, record in ipairs((fetch(ids))) do
            if record and topicOf(record) == topic then
                call('ZADD', busy, deadlines[n], ids[n])
            end
        end
    end
end

local function set(topic, concurrency, interval, whole)
    local _, before = limitsOf(topic)
    if tonumber(concurrency) == 0 then
        call('DEL', K .. 'busy:' .. topic)
    elseif call('EXISTS', K .. 'busy:' .. topic) == 0 then
        countBusy(topic)
    end
    if before ~= tonumber(interval) then
        call('HDEL', K .. 'rate', topic)  -- or a slow rate's next job would be waited for
    end
    if tonumber(concurrency) == 0 and tonumber(interval) == 0 then
        call('HDEL', K .. 'limits', topic)
    else
        call('HSET', K .. 'limits', topic, concat({concurrency, interval, whole}, ' '))
    end
end

local replies = {}
for i = 3, #ARGV, 7 do
    local topic, by, why, tell, concurrency, interval, whole = unpack(ARGV, i, i + 6)
    for _, kind in ipairs({'busy:', 'parked:'}) do
        call('ZCARD', K .. kind .. topic)  -- refuses a key of a foreign type
    end
    set(topic, concurrency, interval, whole)
    wakeLanes(topic)
    if tell == '1' then
        appendTopic('limit', topic, by, why, whole)
    end
    replies[#replies + 1] = unpark(topic, kUnparked) and 'more' or 'ok'
end
return replies
