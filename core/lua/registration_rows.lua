#!lua flags=no-writes
--[[
registration_rows -- registrations as they are, for a journal that begins anew.

Transition   none; it only looks        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    name    of a hash, behind the shard's prefix

Returns  for each request a list: name, until when it lives (ms; 0 = it is not there), its fields and
         values (MessagePack, a list of texts)

Reads    the hashes

Why      As the events of register tell them, so the journal need not know what is in them.
]]
--#include lib/base.lua

return answerEach(1, function(name)
    local key = K .. name
    local flat = call('HGETALL', key)
    local ends = #flat > 0 and call('PEXPIRETIME', key) or 0
    return {name, string.format('%.0f', math.max(ends, 0)), cmsgpack.pack(flat)}
end)
