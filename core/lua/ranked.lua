#!lua flags=no-writes
--[[
ranked -- the jobs at some ranks of some sets.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    max_body   bytes of each body at most
    n          how many sets follow
    set, low, high   without the shard's prefix; the ranks from `low` to `high` - 1

Returns  for each request the jobs as pageOf() of lib/listing.lua lists them, set by set

Reads    the sets, past forgotten error origin box:* boxes j:*

Why      Who knows the ranks need not read what stands before them. The caller bounds how many there are.
]]
--#include lib/listing.lua

return answerLists(2, 3, function(first, last, maxBodyBytes)
    local entries = {}
    for n = first, last, 3 do
        local idsAndScores = call('ZRANGE', K .. ARGV[n], ARGV[n + 1], tonumber(ARGV[n + 2]) - 1, 'WITHSCORES')
        for e = 1, #idsAndScores, 2 do
            entries[#entries + 1] = {id = idsAndScores[e], score = idsAndScores[e + 1], held = ARGV[n] == 'held'}
        end
    end
    return pageOf(entries, #entries, tonumber(maxBodyBytes))
end)
