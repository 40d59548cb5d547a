#!lua flags=allow-oom
--[[
release -- let a held job go.

Transition   held -> scheduled or ready        (docs/job-lifecycle.md, row "release")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    score      now + arrival fraction: where nobody knows when it was due
    states     in which the caller expects it, names with a space between; "" = held
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (not held, or not expected so) | "unreadable"

Touches  held held_bytes due:* lanes expiry origin boxes came:* devices:* events wake; reads box:* lease

Why      A job goes on where it was stopped: at its own due time, come or not. A message stays in its
         mailbox, for the sake of order: the whole mailbox becomes due, and stays so when a delivery run that has
         others of its messages leased ends.
]]
--#include lib/expected.lua
--#include lib/release.lua
checkKeyTypes()

return withEvent(forEachJob(5, function(job, score, states, by, why)
    local refusal = job.state ~= 'held' and conflictReply(job) or expectationRefusal(job, states)
    if refusal then
        return refusal
    end
    if job.arrival then
        releaseMailboxOf(job)
    else
        local kept = keptDue(job.id)
        leaveSet(job)
        call('HDEL', K .. 'origin', job.id)
        enterLane(job, kept or score)
    end
    appendEvent('release', groupByHash({job.id}), by, why)
    return 'ok'
end))
