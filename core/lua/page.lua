#!lua flags=no-writes
--[[
page -- a page of some sets, merged.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    from       lowest score, inclusive, or "-inf"
    below      highest score, exclusive, or "+inf" (then inclusive)
    score, id  of the last entry seen before, or "" and ""
    order      "asc" | "desc"
    limit      entries
    max_body   bytes of each body at most
    n          how many sets follow, without the shard's prefix
    set...

Returns  for each request the jobs as pageOf() of lib/listing.lua lists them, in the order of score, then id

Reads    the sets, past forgotten error origin box:* boxes j:*

Why      Paging by position would skip and repeat while jobs come and go, so a page continues behind an
         entry, even one that has gone. Thousands may share a score: their ids are in byte order,
         so the place is found by bisection.
]]
--#include lib/listing.lua

-- How many entries of a set come before (score, id); with `including`, that entry counts, too.
local function rankOf(set, score, id, including)
    local low = call('ZCOUNT', set, '-inf', '(' .. score)
    local high = call('ZCOUNT', set, '-inf', score)
    while low < high do
        local middle = math.floor((low + high) / 2)
        local idAtMiddle = call('ZRANGE', set, middle, middle)[1]
        if before(idAtMiddle, id) or (including and idAtMiddle == id) then
            low = middle + 1
        else
            high = middle
        end
    end
    return low
end

-- The ranks in a set of the entries that a request asks for: the first, and one behind the last.
local function rankRange(set, request)
    local low, high = rankBounds(set, request.from, request.below)
    if request.descending then
        high = request.id == '' and high or math.min(high, rankOf(set, request.score, request.id, false))
        return math.max(low, high - request.limit), high
    end
    low = request.id == '' and low or math.max(low, rankOf(set, request.score, request.id, true))
    return low, math.min(high, low + request.limit)
end

local function entriesOf(sets, request)
    local entries = {}
    for _, name in ipairs(sets) do
        local low, high = rankRange(K .. name, request)
        local found = low < high and call('ZRANGE', K .. name, low, high - 1, 'WITHSCORES') or {}
        for n = 1, #found, 2 do
            entries[#entries + 1] = {id = found[n], score = found[n + 1], numericScore = tonumber(found[n + 1]), held = name == 'held'}
        end
    end
    if #sets > 1 or request.descending then
        table.sort(entries, function(a, b)
            if request.descending then
                a, b = b, a
            end
            return a.numericScore < b.numericScore or (a.numericScore == b.numericScore and before(a.id, b.id))
        end)
    end
    return entries
end

return answerLists(8, 1, function(firstSet, lastSet, from, below, score, id, order, limit, maxBodyBytes)
    local request = {from = from, below = below, score = score, id = id, descending = order == 'desc',
                     limit = tonumber(limit)}
    return pageOf(entriesOf({unpack(ARGV, firstSet, lastSet)}, request), request.limit, tonumber(maxBodyBytes))
end)
