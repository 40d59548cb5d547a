#!lua flags=no-writes
--[[
count_by_topic -- of which topics the jobs of a set are.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    set        without the shard's prefix: lease, dead ...
    first      rank of the first entry to look at; negative: counted from the newest, which is -1
    last       and of the last one

Returns  for each request a flat list: lane, jobs, ... (jobs whose record cannot be read are left out)

Reads    the set, j:*

Why      Only lanes are kept by topic; of the other states a person who watches wants to know it all
         the same, of some hundreds of jobs. The caller bounds the ranks.
]]
--#include lib/base.lua

return answerEach(3, function(set, first, last)
    local ids = call('ZRANGE', K .. set, first, last)
    local records, counts = fetch(ids), {}
    for n = 1, #ids do
        if records[n] and timesOf(records[n]) then
            local lane = laneOf(records[n])
            counts[lane] = (counts[lane] or 0) + 1
        end
    end
    local reply = {}
    for lane, count in pairs(counts) do
        reply[#reply + 1] = lane
        reply[#reply + 1] = string.format('%d', count)
    end
    return reply
end)
