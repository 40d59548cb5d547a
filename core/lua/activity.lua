#!lua flags=no-writes
--[[
activity -- how much has happened, and how far the journal has it.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    unused     "": one argument a request

Returns  for each request a flat list: id of the oldest event that the journal does not have or "";
         of the journal its cursor, owner and lease's end, ms, "" without one; why the shard is not
         served ("lost", "rolled_back", "foreign"; "" = it is, or nobody has said), how many jobs
         were looked at, and of how many; then for each transition its name and how many jobs it has
         moved since the store began

Reads    moves events journal store

Why      Whoever watches wants rates: the difference of two looks, however many daemons, consumers and
         tools worked in between, and however soon the journal lets go of the events.
]]
--#include lib/base.lua

return answerEach(1, function()
    local journal = call('HMGET', K .. 'journal', 'cursor', 'owner', 'until')
    local store = call('HMGET', K .. 'store', 'phase', 'done', 'of')
    local oldest = journal[1] and call('XRANGE', K .. 'events', '(' .. journal[1], '+', 'COUNT', 1)[1]
    local reply = {oldest and oldest[1] or '', journal[1] or '', journal[2] or '', journal[3] or '',
                   store[1] or '', store[2] or '0', store[3] or '0'}
    for _, text in ipairs(call('HGETALL', K .. 'moves')) do
        reply[#reply + 1] = text
    end
    return reply
end)
