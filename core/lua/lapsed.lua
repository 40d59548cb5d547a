#!lua flags=no-writes
--[[
lapsed -- which leases have run out.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
    max        jobs

Returns  for each request a flat list, oldest first: id, lease deadline, past attempts, record, ...

Reads    lease past forgotten j:*

Why      The caller decides between retry, hold and dead by the job's own schedule; reap does it.
]]
--#include lib/base.lua

local replies = {}
for i = kFirst, #ARGV do
    local found = call('ZRANGEBYSCORE', K .. 'lease', '-inf', ARGV[1], 'WITHSCORES',
                       'LIMIT', 0, ARGV[i])
    local ids, reply = {}, {}
    for n = 1, #found, 2 do
        ids[#ids + 1] = found[n]
    end
    local past = pastOf(ids)
    local records = fetch(ids)
    for n, record in ipairs(records) do
        local at = 4 * (n - 1)
        reply[at + 1], reply[at + 2] = ids[n], found[2 * n]
        reply[at + 3], reply[at + 4] = past[n], record or ''
    end
    replies[#replies + 1] = reply
end
return replies
