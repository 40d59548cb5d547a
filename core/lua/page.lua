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
    body       bytes of each body at most
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
        local its = call('ZRANGE', set, middle, middle)[1]
        if before(its, id) or (including and its == id) then
            low = middle + 1
        else
            high = middle
        end
    end
    return low
end

-- The ranks of what a request wants of a set: first, and one behind the last.
local function window(set, want)
    local low, high = rankBounds(set, want.from, want.below)
    if want.descending then
        high = want.id == '' and high or math.min(high, rankOf(set, want.score, want.id, false))
        return math.max(low, high - want.limit), high
    end
    low = want.id == '' and low or math.max(low, rankOf(set, want.score, want.id, true))
    return low, math.min(high, low + want.limit)
end

local function entriesOf(sets, want)
    local entries = {}
    for _, name in ipairs(sets) do
        local low, high = window(K .. name, want)
        local found = low < high and call('ZRANGE', K .. name, low, high - 1, 'WITHSCORES') or {}
        for n = 1, #found, 2 do
            entries[#entries + 1] = {id = found[n], score = found[n + 1], at = tonumber(found[n + 1]), held = name == 'held'}
        end
    end
    if #sets > 1 or want.descending then
        table.sort(entries, function(a, b)
            if want.descending then
                a, b = b, a
            end
            return a.at < b.at or (a.at == b.at and before(a.id, b.id))
        end)
    end
    return entries
end

return answerLists(8, 1, function(first, last, from, below, score, id, order, limit, body)
    local want = {from = from, below = below, score = score, id = id, descending = order == 'desc',
                  limit = tonumber(limit)}
    return pageOf(entriesOf({unpack(ARGV, first, last)}, want), want.limit, tonumber(body))
end)
