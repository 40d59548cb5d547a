#!lua flags=no-writes
--[[
span -- how many jobs of some sets have a score within bounds, and from which rank on.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
    from       lowest score, inclusive, or "-inf"
    below      highest score, exclusive, or "+inf" (then inclusive)
    n          how many sets follow, without the shard's prefix
    set...

Returns  for each request a flat list: rank of the first, rank behind the last, ... of each set

Reads    the sets

Why      A page by rank begins with the sizes of everything it is cut out of: two look-ups a set. The caller
         bounds how many sets there are.
]]
--#include lib/base.lua

local replies, i = {}, kFirst
while i <= #ARGV do
    local from, below, count = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
    local reply = {}
    for n = i + 3, i + 2 + count do
        local set = K .. ARGV[n]
        local low = from == '-inf' and 0 or call('ZCOUNT', set, '-inf', '(' .. from)
        local high = below == '+inf' and call('ZCARD', set) or call('ZCOUNT', set, '-inf', '(' .. below)
        reply[#reply + 1] = low
        reply[#reply + 1] = math.max(low, high)
    end
    replies[#replies + 1] = reply
    i = i + 3 + count
end
return replies
