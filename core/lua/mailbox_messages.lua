#!lua flags=no-writes
--[[
mailbox_messages -- some of the messages of a mailbox.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    recipient
    first, last   ranks in the order of arrival, the last one included; negative ones count from the end

Returns  for each request a flat list: a letter for each message, "h" held or "l" leased; then what pages consist of
         (lib/listing.lua)

Reads    box:* boxes held lease j:* past forgotten error origin

Why      As people read them: in the order in which they came. The caller bounds how many.
]]
--#include lib/listing.lua
local kMostBodyBytes = 4096  -- more than is shown of a message here

local function entryOf(id)
    local held = call('ZSCORE', K .. 'held', id)
    return {id = id, held = held, score = held or call('ZSCORE', K .. 'lease', id) or ARGV[1]}
end

return answerEach(3, function(recipient, first, last)
    local entries, letters = {}, {}
    for n, id in ipairs(call('ZRANGE', K .. 'box:' .. recipient, first, last)) do
        entries[n] = entryOf(id)
        letters[n] = entries[n].held and 'h' or 'l'
    end
    local reply = {concat(letters)}
    for _, text in ipairs(pageOf(entries, #entries, kMostBodyBytes)) do
        reply[#reply + 1] = text
    end
    return reply
end)
