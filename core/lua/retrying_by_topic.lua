#!lua flags=no-writes
--[[
retrying_by_topic -- of which topics the jobs are that wait for another attempt.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    cursor     of the step before; "0" = from the beginning

Returns  for each request a flat list: the next cursor, "0" = this was the last step, then lane, jobs,
         ... (jobs whose record cannot be read are left out)

Reads    past forgotten due:* j:*

Why      Only who has failed has a field in `past`, so a million jobs that are on time cost nothing.
         Those that are leased, held or dead meanwhile are in no lane; an attempt that an operator has
         taken out of the count does not count here, either.
]]
--#include lib/base.lua

local kJobsPerStep = 200  -- jobs looked at: less than a millisecond

return answerEach(1, function(cursor)
    local scan = call('HSCAN', K .. 'past', cursor, 'COUNT', kJobsPerStep)
    local ids, past = {}, {}
    for n = 1, #scan[2], 2 do
        ids[#ids + 1], past[#past + 1] = scan[2][n], tonumber(scan[2][n + 1])
    end
    local records, counts = fetch(ids), {}
    for n, id in ipairs(ids) do
        local lane = records[n] and timesOf(records[n]) and laneOf(records[n])
        if lane and call('ZSCORE', K .. 'due:' .. lane, id)
           and past[n] > tonumber(call('HGET', K .. 'forgotten', id) or 0) then
            counts[lane] = (counts[lane] or 0) + 1
        end
    end
    local reply = {scan[1]}
    for lane, count in pairs(counts) do
        reply[#reply + 1] = lane
        reply[#reply + 1] = string.format('%d', count)
    end
    return reply
end)
