#!lua flags=no-writes
--[[
mailboxes -- some of the mailboxes, and how many messages wait in each.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    cursor   "0", or what the step before has answered
    count    mailboxes to look at, about
    name     in lower case, contained in the recipient; "" = any

Returns  for each request a flat list: where to go on ("0" = that was all), how many were looked at, then of those of
         the name recipient, messages, ...

Reads    boxes box:*

Why      No set has mailboxes by their size: that would cost a write for each message. Whoever wants the fullest ones
         looks at all of them, step by step, and keeps those; one that is there all the time is seen once at least.
]]
--#include lib/base.lua

return answerEach(3, function(cursor, count, name)
    local found = call('ZSCAN', K .. 'boxes', cursor, 'COUNT', count)
    local members = found[2]
    local reply = {found[1], string.format('%d', #members / 2)}
    for n = 1, #members, 2 do
        local recipient = members[n]
        if name == '' or string.find(string.lower(recipient), name, 1, true) then
            reply[#reply + 1] = recipient
            reply[#reply + 1] = string.format('%d', call('ZCARD', K .. 'box:' .. recipient))
        end
    end
    return reply
end)
