#!lua flags=allow-oom
--[[
trash -- an operator deletes a job, restorably.

Transition   any state but trashed -> trashed        (docs/job-lifecycle.md, row "trash")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    states     in which the caller expects it, names with a space between; "" = in any
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (trashed already, or in none of `states`) | "unreadable"

Touches  lease due:* held held_bytes ahead expiry dead done past origin box:* boxes trash events; busy:* parked:*
         slots:* limits wake, where topics have limits

Why      The attempt of a leased job is counted, which makes its worker stale. Whoever wants to leave it to its worker
         leaves "leased" out of `states`: to look first is too late when it is claimed in that moment.
]]
--#include lib/expected.lua
checkKeyTypes()

return withEvent(forEachJob(4, function(job, states, by, why)
    local refusal = job.state == 'trashed' and conflictReply(job) or expectationRefusal(job, states)
    if refusal then
        return refusal
    end
    rememberOrigin(job)
    countAttempt(job)
    leaveSet(job)
    leaveMailbox(job)
    call('ZADD', K .. 'trash', now, job.id)
    appendEvent('trash', groupByHash({job.id}), by, why)
    return 'ok'
end))
