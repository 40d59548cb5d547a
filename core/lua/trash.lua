#!lua flags=allow-oom
--[[
trash -- an operator deletes a job, restorably.

Transition   any state but trashed -> trashed        (docs/job-lifecycle.md, row "trash")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (trashed already) | "unreadable"

Touches  lease due:* held held_bytes ahead expiry dead done past origin box:* boxes trash events; busy:* parked:*
         slots:* limits wake, where topics have limits

Why      The attempt of a leased job is counted, which makes its worker stale.
]]
--#include lib/job.lua
checkKeyTypes()

return forEachJob(3, function(job, by, why)
    if job.state == 'trashed' then
        return conflictReply(job)
    end
    rememberOrigin(job)
    countAttempt(job)
    leaveSet(job)
    leaveMailbox(job)
    call('ZADD', K .. 'trash', now, job.id)
    appendEvent('trash', groupByHash({job.id}), by, why)
    return 'ok'
end)
