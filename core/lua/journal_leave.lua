#!lua flags=allow-oom
--[[
journal_leave -- nobody records this shard any more: its events need not carry what SQL wants.

Transition   none; the lease on the outbox        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
ARGV[3]  worker         who calls, for the journal
then for each request:
    owner    who would like to; "" = nobody in particular

Returns  for each request "left" | "recorded" (somebody's lease has not ended)

Touches  journal

Why      A journal that was turned off must not go on filling the stream up to its backlog.
]]
--#include lib/base.lua
--#include lib/outbox.lua
guard({journal = 'hash'})

local replies = {}
for i = kFirst, #ARGV do
    local known = call('HMGET', K .. 'journal', 'owner', 'until')
    local recorded = known[1] and known[1] ~= ARGV[i] and tonumber(known[2]) > now
    if not recorded then
        call('DEL', K .. 'journal')
    end
    replies[#replies + 1] = recorded and 'recorded' or 'left'
end
return replies
