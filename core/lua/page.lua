#!lua flags=no-writes
--[[
page -- a page of some sets, merged.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
    from       lowest score, inclusive, or "-inf"
    below      highest score, exclusive, or "+inf" (then inclusive)
    score, id  of the last entry seen before, or "" and ""
    order      "asc" | "desc"
    limit      entries
    n          how many sets follow, without the shard's prefix
    set...

Returns  for each request a flat list in the order of score, then id: id, score, past attempts, last error,
         next attempt of the recipient's mailbox ("@" and a time: it is held by itself, and due again then) or "",
         record or "" (an id without one), its number in the mailbox or "", where restore puts it back or "", ...

Reads    the sets, past forgotten error origin box:* boxes j:*

Why      Paging by position would skip and repeat while jobs come and go, so a page continues behind an
         entry, even one that has gone. Thousands may share a score: their ids are in byte order,
         so the place is found by bisection.
]]
--#include lib/base.lua
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
    local low = want.from == '-inf' and 0 or call('ZCOUNT', set, '-inf', '(' .. want.from)
    local high = want.below == '+inf' and call('ZCARD', set)
                     or call('ZCOUNT', set, '-inf', '(' .. want.below)
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

local replies, i = {}, kFirst
while i <= #ARGV do
    local sets = {unpack(ARGV, i + 7, i + 6 + tonumber(ARGV[i + 6]))}
    local want = {from = ARGV[i], below = ARGV[i + 1], score = ARGV[i + 2], id = ARGV[i + 3],
                  descending = ARGV[i + 4] == 'desc', limit = tonumber(ARGV[i + 5])}
    replies[#replies + 1] = describe(entriesOf(sets, want), want.limit)
    i = i + 7 + #sets
end
return replies
