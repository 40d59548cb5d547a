#!lua flags=no-writes
--[[
ranks -- which entries some sets have at some ranks.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    n          how many sets follow
    set        without the shard's prefix
    m          how many ranges of it follow
    low, high  ranks, the last one exclusive

Returns  for each request a flat list, of each set: how many entries, as text, then id, score, ... of each, in order

Reads    the sets

Why      The n-th entry of several sorted sets together is found by entries from known ranks, which say how many are
         before them. O(log N) a range and O(1) an entry, whatever the ranks are; the caller bounds how many.
]]
--#include lib/base.lua

local replies, i = {}, kFirst
while i <= #ARGV do
    local reply, sets = {}, tonumber(ARGV[i])
    i = i + 1
    for _ = 1, sets do
        local set, ranges, countAt = K .. ARGV[i], tonumber(ARGV[i + 1]), #reply + 1
        reply[countAt] = 0
        i = i + 2
        for _ = 1, ranges do
            local idsAndScores = call('ZRANGE', set, ARGV[i], tonumber(ARGV[i + 1]) - 1, 'WITHSCORES')
            for n = 1, #idsAndScores do
                reply[countAt + n + 2 * reply[countAt]] = idsAndScores[n]
            end
            reply[countAt] = reply[countAt] + #idsAndScores / 2
            i = i + 2
        end
        reply[countAt] = string.format('%d', reply[countAt])
    end
    replies[#replies + 1] = reply
end
return replies
