#!lua flags=no-writes
--[[
counts -- how many jobs there are.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    n          how many lanes follow
    lane...

Returns  for each request a list: leased, held, dead, trashed, done, mailboxes, then for each lane
         scheduled, ready

Reads    lease held dead trash done boxes due:*

Why      Cardinalities only; the caller bounds the number of lanes.
]]
--#include lib/base.lua

local kNotYet = string.format('(%.0f', now + 1)

return answerLists(1, 1, function(first, last)
    local reply = {}
    for _, set in ipairs({'lease', 'held', 'dead', 'trash', 'done', 'boxes'}) do
        reply[#reply + 1] = call('ZCARD', K .. set)
    end
    for n = first, last do
        local ready = call('ZCOUNT', K .. 'due:' .. ARGV[n], '-inf', kNotYet)
        reply[#reply + 1] = call('ZCARD', K .. 'due:' .. ARGV[n]) - ready
        reply[#reply + 1] = ready
    end
    return reply
end)
