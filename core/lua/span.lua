#!lua flags=no-writes
--[[
span -- how many jobs of some sets have a score within bounds, and from which rank on.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    from       lowest score, inclusive, or "-inf"
    below      highest score, exclusive, or "+inf" (then inclusive)
    n          how many sets follow, without the shard's prefix
    set...

Returns  for each request a flat list: rank of the first, rank behind the last, ... of each set

Reads    the sets

Why      A page by rank begins with the sizes of everything it is cut out of: two look-ups a set. The caller
         bounds how many sets there are.
]]
--#include lib/listing.lua

return answerLists(3, 1, function(first, last, from, below)
    local reply = {}
    for n = first, last do
        local low, high = rankBounds(K .. ARGV[n], from, below)
        reply[#reply + 1] = low
        reply[#reply + 1] = math.max(low, high)
    end
    return reply
end)
