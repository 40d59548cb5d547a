#!lua
--[[
registration_restore -- bring registrations back that the store has lost and the journal has.

Transition   none: they are no jobs        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    name     of a hash, behind the shard's prefix
    until    when it ends, ms
    value    its fields and values: MessagePack, a list of texts

Returns  for each request "ok" | "there" (the store has it, and is left alone) | "over"

Touches  aor:*

Why      What the store has was registered since. Each binding says itself when it ends, so nothing
         comes back that has ended.
]]
--#include lib/base.lua

return answerEach(3, function(name, until_ms, value)
    local key, ends, flat = K .. name, tonumber(until_ms), cmsgpack.unpack(value)
    if ends <= now or #flat == 0 then
        return 'over'
    end
    if call('EXISTS', key) == 1 then
        return 'there'
    end
    call('HSET', key, unpack(flat))
    call('PEXPIREAT', key, string.format('%.0f', ends))
    return 'ok'
end)
