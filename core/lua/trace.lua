#!lua flags=allow-oom
--[[
trace -- have somebody's SIP messages traced for a while, or no more.

Transition   none: it is about no job

KEYS[1]  the first shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    address    of record
    until      ms; "" = no more
    by, why    the actor and the reason

Returns  for each request how many daemons were told, in a cluster only those that listen at this node;
         or "absent": it was not traced

Touches  traces events; publishes `traced`

Why      Whose messages are copied, bodies included, and because of whom is what an audit is for: so the
         order and its event are one step.
]]
--#include lib/topic.lua
guard({traces = 'zset', events = 'stream'})

return answerEach(4, function(address, untilMs, by, why)
    if untilMs == '' and call('ZREM', K .. 'traces', address) == 0 then
        return 'absent'
    elseif untilMs ~= '' then
        call('ZADD', K .. 'traces', untilMs, address)
    end
    appendTopic(untilMs == '' and 'untrace' or 'trace', address, by, why)
    return call('PUBLISH', K .. 'traced', 'changed')
end)
