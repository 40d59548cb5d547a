#!lua flags=no-writes
--[[
lapsed -- which leases have run out.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    max        jobs

Returns  for each request a flat list, oldest first: id, lease deadline, attempts (formatAttempts), record, ...

Reads    lease past forgotten j:*

Why      The caller decides between retry, hold and dead by the job's own schedule; reap does it.
]]
--#include lib/base.lua

return answerEach(1, function(max)
    local idsAndDeadlines = call('ZRANGEBYSCORE', K .. 'lease', '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, max)
    local ids, reply = {}, {}
    for n = 1, #idsAndDeadlines, 2 do
        ids[#ids + 1] = idsAndDeadlines[n]
    end
    local attempts = attemptsOf(ids)
    for n, record in ipairs((fetch(ids))) do
        local at = 4 * (n - 1)
        reply[at + 1], reply[at + 2] = ids[n], idsAndDeadlines[2 * n]
        reply[at + 3], reply[at + 4] = attempts[n], record or ''
    end
    return reply
end)
