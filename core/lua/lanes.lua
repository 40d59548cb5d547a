#!lua flags=no-writes
--[[
lanes -- which lanes there are.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    cursor     of SSCAN, "0" = from the beginning

Returns  for each request a list: the next cursor ("0" = that was all), lane...

Reads    lanes

Why      There may be as many lanes as topics, so they are listed in bounded steps.
]]
--#include lib/base.lua

return answerEach(1, function(cursor)
    local found = call('SSCAN', K .. 'lanes', cursor, 'COUNT', 200)
    return {found[1], unpack(found[2])}
end)
