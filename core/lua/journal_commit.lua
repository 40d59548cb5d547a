#!lua flags=allow-oom
--[[
journal_commit -- the recorder has committed everything up to an entry: keep its lease, tell who
waits, and let go of what is not needed any more.

Transition   none; the lease on the outbox        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    owner
    lease      ms; 0 gives it up
    cursor     the last entry committed; "" = not known yet, or nothing to tell
    keep       entries that stay for those who watch, once all are committed
    status     "down" = the database does not answer; "" = it does

Returns  for each request {id of the oldest entry behind the cursor ("" = none), how many wait there,
         how many clients of this server were told}
         | "lost" (another one records this shard) | "missing" (the cursor's entry is not in the stream)

Touches  journal events committed; reads store

Why      The entry at the cursor stays in any case: it is the proof that nothing behind it is
         missing. If it is not there, nothing is let go of: what is older tells the recorder whether
         the stream was cut off or Redis has forgotten its newest entries. By the field `told` others know that
         the cursor is what a journal has committed, and not only where it began to listen.
]]
--#include lib/base.lua
guard({journal = 'hash', events = 'stream', store = 'hash'})

return answerEach(5, function(owner, lease, cursor, keep, status)
    local key = K .. 'journal'
    if call('HGET', key, 'owner') ~= owner then
        return 'lost'
    end
    call('HSET', key, 'until', string.format('%.0f', now + tonumber(lease)))
    if cursor == '' then
        return {'', 0, 0}
    end
    if cursor ~= '0-0' and #call('XRANGE', K .. 'events', cursor, cursor) == 0 then
        return 'missing'
    end
    call('HSET', key, 'cursor', cursor, 'told', 1)
    local oldest = call('XRANGE', K .. 'events', '(' .. cursor, '+', 'COUNT', 1)[1]
    local waiting = 0
    if oldest then
        call('XTRIM', K .. 'events', 'MINID', '=', cursor)
        waiting = call('XLEN', K .. 'events') - (cursor == '0-0' and 0 or 1)  -- no entry has the id 0-0
    else
        call('XTRIM', K .. 'events', 'MAXLEN', '~', keep)
    end
    local token = call('HGET', K .. 'store', 'token') or ''
    local told = call('PUBLISH', K .. 'committed', status ~= '' and status or cursor .. ' ' .. token)
    return {oldest and oldest[1] or '', waiting, told}
end)
