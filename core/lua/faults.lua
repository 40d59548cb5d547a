#!lua flags=no-writes
--[[
faults -- what is wrong with the jobs of a hash after a script was cut short.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    front      what the ids of one hash have in common: they live in the hash `j:<front>`

Returns  for each request a flat list: how many jobs it has looked at, then id, fault and fingerprint of each job that
         has a fault: "lost" | "doubled" | "partial" | "unreadable" (lib/faults.lua)

Reads    j:* lease due:* held expiry dead trash done boxes box:* index lanes past origin

Why      A sweep goes through all hashes, page by page. repair.lua looks at what it finds once more before it
         changes anything: jobs move in between. By the fingerprint it knows that nothing has.
]]
--#include lib/faults.lua

return answerEach(1, function(front)
    local records = call('HGETALL', K .. 'j:' .. front)
    local reply = {string.format('%d', #records / 2)}
    for n = 1, #records, 2 do
        local fault, job, places, gaps, record = faultOf(front .. records[n], records[n + 1])
        if fault ~= '' then
            reply[#reply + 1] = front .. records[n]
            reply[#reply + 1] = fault
            reply[#reply + 1] = places and fingerprintOf(job, places, gaps, record) or ''
        end
    end
    return reply
end)
