#!lua flags=no-writes
--[[
split -- where an entry stands among those of some sets, and what stands in the middle of both sides.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
then for each request:
    score, id  of the entry, or "" and "": before all others
    n          how many sets follow
    set, low, high   without the shard's prefix; only its ranks from `low` to `high` - 1 matter

Returns  for each request a flat list, of each set: the rank behind the last entry that is not greater, from `low`
         to `high`; then id and score of the middle entry of [low, that rank), and of [that rank, high),
         "" and "" where there is none. The middle of two is the first.

Reads    the sets

Why      The n-th entry of several sorted sets together is found by asking, a few dozen times, how many are not
         greater than one from the middle: O(log N) a set each time, whatever n is. One step a command, so that
         others are served in between; the caller bounds how many sets there are.
]]
--#include lib/base.lua
--#include lib/listing.lua

local function addMiddle(reply, set, low, high)
    local middle = math.floor((low + high - 1) / 2)
    local found = low < high and call('ZRANGE', set, middle, middle, 'WITHSCORES') or {}
    reply[#reply + 1] = found[1] or ''
    reply[#reply + 1] = found[2] or ''
end

local replies, i = {}, 3
while i <= #ARGV do
    local score, id, count = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
    local reply = {}
    for n = i + 3, i + 3 * count, 3 do
        local set, low, high = K .. ARGV[n], tonumber(ARGV[n + 1]), tonumber(ARGV[n + 2])
        local rank = score == '' and low or rankOf(set, score, id, true, low, high)
        reply[#reply + 1] = string.format('%d', rank)
        addMiddle(reply, set, low, rank)
        addMiddle(reply, set, rank, high)
    end
    replies[#replies + 1] = reply
    i = i + 3 + 3 * count
end
return replies
