#!lua flags=allow-oom
--[[
resume -- give out a topic's jobs again.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    topic
    by, why    the actor and the reason
    tell       "1" = this shard keeps the event, "0" = another one does

Returns  for each request "ok" | "more" (mailboxes still wait for it: ask again)

Touches  paused parked:* boxes events wake; reads due:*

Why      Whoever sleeps is told of the heads of the topic's lanes, and its mailboxes are due again, a
         bounded number a call. Nothing is told of a topic that is not paused.
]]
--#include lib/topic.lua
guard({paused = 'hash', boxes = 'zset', events = 'stream'})

return answerEach(4, function(topic, by, why, tell)
    guard({['parked:' .. topic] = 'zset'})
    if call('HDEL', K .. 'paused', topic) == 1 then
        wakeLanes(topic)
        if tell == '1' then
            appendTopic('resume', topic, by, why)
        end
    end
    return unpark(topic, kUnparkedPerCall) and 'more' or 'ok'
end)
