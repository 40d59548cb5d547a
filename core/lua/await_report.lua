#!lua flags=allow-oom
--[[
await_report -- a text message is about to be sent, and its delivery report is awaited.

Transition   none: the job stays leased        (docs/sms.md, "Delivery reports")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each attempt:
    id
    attempt
    ends       until when the report is awaited, ms

Returns  for each attempt "ok"

Touches  reports

Why      A Redis without memory must not keep a text message back that it has given out: the entry
         is small, and goes with the report.
]]
--#include lib/base.lua
guard({reports = 'zset'})

return answerEach(3, function(id, attempt, ends)
    call('ZADD', K .. 'reports', ends, attempt .. ' ' .. id)
    return 'ok'
end)
