#!lua flags=no-writes
--[[
ranked -- the jobs at some ranks of some sets.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
    n          how many sets follow
    set, low, high   without the shard's prefix; the ranks from `low` to `high` - 1

Returns  for each request a flat list, set by set: id, score, past attempts, last error,
         next attempt of the recipient's mailbox ("@" and a time: it is held by itself, and due again then) or "",
         record or "" (an id without one), its number in the mailbox or "", where restore puts it back or "", ...

Reads    the sets, past forgotten error origin box:* boxes j:*

Why      Who knows the ranks need not read what stands before them. The caller bounds how many there are.
]]
--#include lib/base.lua
--#include lib/listing.lua

local replies, i = {}, kFirst
while i <= #ARGV do
    local count, entries = tonumber(ARGV[i]), {}
    for n = i + 1, i + 3 * count - 2, 3 do
        local found = call('ZRANGE', K .. ARGV[n], ARGV[n + 1], tonumber(ARGV[n + 2]) - 1, 'WITHSCORES')
        for e = 1, #found, 2 do
            entries[#entries + 1] = {id = found[e], score = found[e + 1], held = ARGV[n] == 'held'}
        end
    end
    replies[#replies + 1] = describe(entries, #entries)
    i = i + 1 + 3 * count
end
return replies
