#!lua flags=no-writes
--[[
count_by_error -- why the newest jobs of a set failed.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    set        without the shard's prefix: dead, held ...
    first      rank of the first entry to look at; negative: counted from the newest, which is -1
    last       and of the last one

Returns  for each request a flat list: last error, jobs, ... ("" = none is kept)

Reads    the set, error

Why      There is no index by error: one would cost every failure a write. A person who watches wants to
         know what most of the newest failed by. The caller bounds the ranks.
]]
--#include lib/base.lua

return answerEach(3, function(set, first, last)
    local ids = call('ZRANGE', K .. set, first, last)
    local errors, counts = #ids > 0 and call('HMGET', K .. 'error', unpack(ids)) or {}, {}
    for n = 1, #ids do
        local error = errors[n] or ''
        counts[error] = (counts[error] or 0) + 1
    end
    local reply = {}
    for error, count in pairs(counts) do
        reply[#reply + 1] = error
        reply[#reply + 1] = string.format('%d', count)
    end
    return reply
end)
