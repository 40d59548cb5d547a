#!lua flags=no-writes
--[[
show -- one job as it stands.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id

Returns  for each job "gone" | "unreadable" | a list: state ("scheduled" stands for ready, too), score,
         failed attempts, last error, next attempt of its mailbox or, of one that is held outside a mailbox,
         "@" and when it is due again, ms ("" = neither), record, how many devices have it ("" = nobody asked), its
         number in the mailbox and where restore puts it back ("" = none). Of a job that a script cut short has
         left in no set: where repair.lua will put it

Reads    j:* due:* lease held dead trash done past forgotten error origin box:* boxes taken

Why      The state of a job is where its id is.
]]
--#include lib/job.lua

return forEachJob(1, function(job)
    local id = job.id
    local lostText = job.state == 'lost' and 'found in no set, after a crash: about to be put back'
    withLostPlace(job)
    local inMailbox = job.arrival and (job.state == 'held' or job.state == 'leased')
    local due = job.state == 'held' and not job.arrival and keptDue(id)
    local next = due and '@' .. due or inMailbox and call('ZSCORE', K .. 'boxes', job.recipient) or ''
    return {job.state, job.score, attemptsOf({id})[1], call('HGET', K .. 'error', id) or lostText or '',
            next, call('HGET', job.key, job.field), call('HGET', K .. 'taken', id) or '',
            job.arrival or '', call('HGET', K .. 'origin', id) or ''}
end)
