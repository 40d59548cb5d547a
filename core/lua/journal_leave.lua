#!lua flags=allow-oom
--[[
journal_leave -- nobody records this shard any more: its events need not carry what SQL wants.

Transition   none; the lease on the outbox        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    owner    who would like to; "" = nobody in particular

Returns  for each request "left" | "recorded" (somebody's lease has not ended)

Touches  journal

Why      A journal that was turned off must not go on filling the stream up to its backlog.
]]
--#include lib/base.lua
guard({journal = 'hash'})

return answerEach(1, function(owner)
    local leaseOwner, leaseEnds = unpack(call('HMGET', K .. 'journal', 'owner', 'until'))
    local recorded = leaseOwner and leaseOwner ~= owner and tonumber(leaseEnds) > now
    if not recorded then
        call('DEL', K .. 'journal')
    end
    return recorded and 'recorded' or 'left'
end)
