#!lua flags=no-writes
--[[
page -- a page of some sets, merged.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
then for each request:
    from       lowest score, inclusive, or "-inf"
    below      highest score, exclusive, or "+inf" (then inclusive)
    score, id  of the last entry seen before, or "" and ""
    limit      entries
    n          how many sets follow, without the shard's prefix
    set...

Returns  for each request a flat list ordered by score, then id: id, score, past attempts, last error,
         next attempt of the recipient's mailbox or "", record or "" (an id without one), ...

Reads    the sets, past error boxes j:*

Why      Paging by position would skip and repeat while jobs come and go, so a page continues behind an
         entry, even one that has gone. Thousands may share a score: their ids are in byte order,
         so the place is found by bisection.
]]
--#include lib/base.lua

-- Byte order, as Redis sorts members; `<` would follow the server's locale.
local function before(a, b)
    for n = 1, math.min(#a, #b) do
        local x, y = string.byte(a, n), string.byte(b, n)
        if x ~= y then
            return x < y
        end
    end
    return #a < #b
end

-- The rank of the first entry of a set behind (score, id).
local function rankBehind(set, score, id)
    local low = call('ZCOUNT', set, '-inf', '(' .. score)
    local high = call('ZCOUNT', set, '-inf', score)
    while low < high do
        local middle = math.floor((low + high) / 2)
        if before(id, call('ZRANGE', set, middle, middle)[1]) then
            high = middle
        else
            low = middle + 1
        end
    end
    return low
end

local function firstRank(set, from, score, id)
    if id ~= '' then
        return rankBehind(set, score, id)
    end
    return from == '-inf' and 0 or call('ZCOUNT', set, '-inf', '(' .. from)
end

local function entriesOf(sets, from, below, score, id, limit)
    local entries = {}
    for _, name in ipairs(sets) do
        local set = K .. name
        local first = firstRank(set, from, score, id)
        local found = call('ZRANGE', set, first, first + limit - 1, 'WITHSCORES')
        for n = 1, #found, 2 do
            local at = tonumber(found[n + 1])
            if below == '+inf' or at < tonumber(below) then
                entries[#entries + 1] = {id = found[n], score = found[n + 1], at = at}
            end
        end
    end
    if #sets > 1 then
        table.sort(entries, function(a, b)
            return a.at < b.at or (a.at == b.at and before(a.id, b.id))
        end)
    end
    return entries
end

local function nextOf(record)
    local _, at = laneOf(record)
    local recipient = timesOf(record) and struct.unpack('>Hc0', record, at) or ''
    return recipient ~= '' and call('ZSCORE', K .. 'boxes', recipient) or ''
end

local function describe(entries, limit)
    local ids, reply = {}, {}
    for n = 1, math.min(limit, #entries) do
        ids[n] = entries[n].id
    end
    local records = fetch(ids)
    for n, record in ipairs(records) do
        local at = 6 * (n - 1)
        reply[at + 1], reply[at + 2] = ids[n], entries[n].score
        reply[at + 3] = call('HGET', K .. 'past', ids[n]) or '0'
        reply[at + 4] = call('HGET', K .. 'error', ids[n]) or ''
        reply[at + 5] = record and nextOf(record) or ''
        reply[at + 6] = record or ''
    end
    return reply
end

local replies, i = {}, 3
while i <= #ARGV do
    local sets = {unpack(ARGV, i + 6, i + 5 + tonumber(ARGV[i + 5]))}
    local limit = tonumber(ARGV[i + 4])
    local entries = entriesOf(sets, ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], limit)
    replies[#replies + 1] = describe(entries, limit)
    i = i + 6 + #sets
end
return replies
