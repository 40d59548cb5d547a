#!lua flags=allow-oom
--[[
journal_take_lease -- become the one who records this shard, if nobody is.

Transition   none; the lease on the outbox        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    owner
    lease      ms
    backlog    entries that the stream may keep while it waits for the recorder
    token      names this listening, should it begin now
    process    of the owner, another one after each start

Returns  for each request {"taken" or "other", the listening's token, the last id committed,
         the owner, its lease's end, the shard's identity ("" = it has none), the token by which it
         is served ("" = it is not)}

Touches  journal events; reads store serving:<token>, and INFO server

Why      The listening begins with an entry of its own, which the cursor points at: as long as the
         entry at the cursor is in the stream, nothing behind it has been cut off.
]]
--#include lib/serving.lua
guard({journal = 'hash', events = 'stream', store = 'hash'})

return answerEach(5, function(owner, lease, backlog, token, process)
    local key = K .. 'journal'
    if call('HEXISTS', key, 'since') == 0 then
        local id = call('XADD', K .. 'events', '*', 't', 'listen', 'at', ARGV[1])
        call('HSET', key, 'since', token, 'cursor', id)
    end
    local fields = call('HMGET', key, 'since', 'cursor', 'owner', 'until')
    local identity, serving = call('HGET', K .. 'store', 'identity') or '', servingToken()
    if fields[3] and fields[3] ~= owner and tonumber(fields[4]) > now then
        return {'other', fields[1], fields[2], fields[3], fields[4], identity, serving}
    end
    local ends = string.format('%.0f', now + tonumber(lease))
    call('HSET', key, 'owner', owner, 'until', ends, 'backlog', backlog, 'process', process)
    return {'taken', fields[1], fields[2], owner, ends, identity, serving}
end)
