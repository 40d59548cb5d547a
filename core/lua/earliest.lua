#!lua flags=no-writes
--[[
earliest -- when something is due next.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
then for each request:
    source     "lanes" | "mailboxes" | "leases" | "expiry"
    channel    for lanes, else ""
    n          how many topics follow; 0 = every topic of the channel
    topic...

Returns  for each request the lowest score of the source, "" when it is empty

Reads    due:* lanes boxes lease expiry held

Why      The due watcher sleeps until then; a wake-up tells it when something nearer comes.
]]
--#include lib/base.lua

local kSets = {mailboxes = {'boxes'}, leases = {'lease'}, expiry = {'expiry', 'held'}}

local function lanesOf(channel, topics)
    local sets = {}
    for _, topic in ipairs(topics) do
        for p = 0, 9 do
            sets[#sets + 1] = 'due:' .. channel .. ':' .. p .. ':' .. topic
        end
    end
    if #topics == 0 then
        for _, name in ipairs(call('SMEMBERS', K .. 'lanes')) do
            if string.match(name, '^%l+') == channel then
                sets[#sets + 1] = 'due:' .. name
            end
        end
    end
    return sets
end

local function lowest(sets)
    local least
    for _, set in ipairs(sets) do
        local score = call('ZRANGE', K .. set, 0, 0, 'WITHSCORES')[2]
        if score and (not least or tonumber(score) < tonumber(least)) then
            least = score
        end
    end
    return least or ''
end

local replies, i = {}, 3
while i <= #ARGV do
    local topics = {unpack(ARGV, i + 3, i + 2 + tonumber(ARGV[i + 2]))}
    replies[#replies + 1] = lowest(kSets[ARGV[i]] or lanesOf(ARGV[i + 1], topics))
    i = i + 3 + #topics
end
return replies
