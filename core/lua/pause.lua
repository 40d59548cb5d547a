#!lua flags=allow-oom
--[[
pause -- give out nothing of a topic.

Transition   none: its jobs stay where they are        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    topic
    by, why    the actor and the reason
    tell       "1" = this shard keeps the event, "0" = another one does
    since      since when it is paused, ms, of one that is brought back; else ""

Returns  for each request "ok"

Touches  paused events

Why      What is leased goes on, and pushes go on. A topic that is paused already keeps the moment
         since when it is, so a call may be repeated until every shard has heard it.
]]
--#include lib/topic.lua
guard({paused = 'hash', events = 'stream'})

return answerEach(5, function(topic, by, why, tell, since)
    local before = call('HGET', K .. 'paused', topic)
    if since == '' then
        since = before and string.match(before, '^%d+') or ARGV[1]
    end
    call('HSET', K .. 'paused', topic, concat({since, by, why}, '\n'))
    if tell == '1' then
        appendTopic('pause', topic, by, why, nil, since)
    end
    return 'ok'
end)
