#!lua flags=no-writes
--[[
pulse -- how much has happened, and how far the journal has it.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
then for each request:
    what       "" = all

Returns  for each request a flat list: id of the newest event or ""; of the journal its cursor, owner
         and lease's end, ms, "" without one; then for each transition its name and how many jobs it
         has moved since the store began

Reads    moves events journal

Why      Whoever watches wants rates: the difference of two looks, however many daemons, consumers and
         tools worked in between, and however soon the journal lets go of the events.
]]
--#include lib/base.lua

local function pulse()
    local newest = call('XREVRANGE', K .. 'events', '+', '-', 'COUNT', 1)[1]
    local journal = call('HMGET', K .. 'journal', 'cursor', 'owner', 'until')
    local reply = {newest and newest[1] or '', journal[1] or '', journal[2] or '', journal[3] or ''}
    for _, text in ipairs(call('HGETALL', K .. 'moves')) do
        reply[#reply + 1] = text
    end
    return reply
end

local replies = {}
for i = 3, #ARGV do
    replies[i - 2] = pulse()
end
return replies
