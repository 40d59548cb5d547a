#!lua
--[[
setting_restore -- bring registrations back that the store has lost and the journal has.

Transition   none: they are no jobs        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
    name     of a hash, behind the shard's prefix
    until    when it ends, ms
    value    its fields and values: MessagePack, a list of texts

Returns  for each request "ok" | "there" (the store has it, and is left alone) | "over"

Touches  aor:*

Why      What the store has was registered since. Each binding says itself when it ends, so nothing
         comes back that has ended.
]]
--#include lib/base.lua

local replies = {}
for i = kFirst, #ARGV, 3 do
    local key, ends = K .. ARGV[i], tonumber(ARGV[i + 1])
    local flat = cmsgpack.unpack(ARGV[i + 2])
    local reply = 'ok'
    if ends <= now or #flat == 0 then
        reply = 'over'
    elseif call('EXISTS', key) == 1 then
        reply = 'there'
    else
        call('HSET', key, unpack(flat))
        call('PEXPIREAT', key, string.format('%.0f', ends))
    end
    replies[#replies + 1] = reply
end
return replies
