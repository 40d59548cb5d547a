#!lua flags=allow-oom
--[[
journal_close_shard -- the shard does not agree with its journal: nobody is served until it does.

Transition   none; the lease on the outbox        (docs/journal.md, "Identity")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    owner    who compares it
    why      "lost" = all that lives in the journal comes back, "rolled_back" = what is newer there,
             "foreign" = the journal belongs to another store
    done     jobs that were looked at
    of       jobs in all

Returns  for each request "closed" | "lost" (another one records this shard)

Touches  store serving:*

Why      Whoever waits for it is told how far it is.
]]
--#include lib/base.lua
guard({journal = 'hash', store = 'hash'})

return answerEach(4, function(owner, why, done, of)
    if call('HGET', K .. 'journal', 'owner') ~= owner then
        return 'lost'
    end
    local oldToken = call('HGET', K .. 'store', 'token')
    if oldToken then
        call('DEL', K .. 'serving:' .. oldToken)
        call('HDEL', K .. 'store', 'token')
    end
    call('HSET', K .. 'store', 'phase', why, 'done', done, 'of', of)
    return 'closed'
end)
