#!lua
--[[
run_now -- make a job due at once.

Transition   scheduled, held or dead -> ready        (docs/job-lifecycle.md, row "run_now")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    score      now + arrival fraction
    states     in which the caller expects it, names with a space between; "" = in any that it may start from
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (ready, leased, trashed or done, or in none of `states`)
         | "unreadable"

Touches  due:* lanes held held_bytes ahead dead expiry origin box:* boxes came:* devices:* events wake; reads lease

Why      A message stays in its mailbox, for the sake of order: the whole mailbox becomes due, as by release.
         The attempts stay counted: a dead job gets one more, and the fencing token never goes back.
]]
--#include lib/expected.lua
--#include lib/release.lua
checkKeyTypes()

local function mayRun(job)
    local later = job.state == 'scheduled' and tonumber(job.score) >= now + 1
    return later or job.state == 'held' or job.state == 'dead' or job.state == 'lost'
end

return withEvent(forEachJob(5, function(job, score, states, by, why)
    local refusal = not mayRun(job) and conflictReply(job) or expectationRefusal(job, states)
    if refusal then
        return refusal
    end
    if job.state == 'held' and job.arrival then
        releaseMailboxOf(job)
    else
        leaveSet(job)
        call('HDEL', K .. 'origin', job.id)
        enterLane(job, score)
    end
    appendEvent('run_now', groupByHash({job.id}), by, why)
    return 'ok'
end))
