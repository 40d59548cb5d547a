#!lua flags=no-writes
--[[
journal_absent -- which of these jobs the store does not have.

Transition   none; it only looks        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id

Returns  for each job 1 (absent) | 0

Why      Recovery asks this of every living job of the journal, so it must be cheap.
]]
--#include lib/base.lua

local records = fetch({unpack(ARGV, kFirst)})
local replies = {}
for n = 1, #ARGV - kFirst + 1 do
    replies[n] = records[n] and 0 or 1
end
return replies
