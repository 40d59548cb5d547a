#!lua flags=no-writes
--[[
index -- the jobs that a secondary index leads to.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    front      what the members begin with: `b` or `s`, NUL, the key or sender, NUL
    after      the last id seen before, or ""
    limit      ids, 0 = only the count

Returns  for each request a list: how many there are in all, then the ids behind `after`, in the order of
         their bytes

Reads    index

Why      All scores are 0, so the members are in byte order, and one key's jobs stand together.
]]
--#include lib/base.lua

return answerEach(3, function(front, after, limit)
    local first = after == '' and '[' .. front or '(' .. front .. after
    local last = '(' .. front .. '\255'  -- above every id, which is printable ASCII
    local reply = {call('ZLEXCOUNT', K .. 'index', '[' .. front, last)}
    local members = tonumber(limit) > 0 and call('ZRANGE', K .. 'index', first, last, 'BYLEX', 'LIMIT', 0, limit) or {}
    for n, member in ipairs(members) do
        reply[n + 1] = sub(member, #front + 1)
    end
    return reply
end)
