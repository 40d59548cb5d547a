#!lua flags=no-writes
--[[
lanes -- which lanes there are.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
    cursor     of SSCAN, "0" = from the beginning

Returns  for each request a list: the next cursor ("0" = that was all), lane...

Reads    lanes

Why      There may be as many lanes as topics, so they are listed in bounded steps.
]]
--#include lib/base.lua

local replies = {}
for i = kFirst, #ARGV do
    local found = call('SSCAN', K .. 'lanes', ARGV[i], 'COUNT', 200)
    replies[#replies + 1] = {found[1], unpack(found[2])}
end
return replies
