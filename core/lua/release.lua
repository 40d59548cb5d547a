#!lua flags=allow-oom
--[[
release -- let a held job go.

Transition   held -> scheduled or ready        (docs/job-lifecycle.md, row "release")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    score      now + arrival fraction: where nobody knows when it was due
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (not held) | "unreadable"

Touches  held held_bytes due:* lanes expiry origin boxes came:* devices:* events wake; reads box:* lease

Why      A job goes on where it was stopped: at its own due time, come or not. A message stays in its
         mailbox, for the sake of order: the whole mailbox becomes due, and stays so when a delivery run that has
         others of its messages leased ends.
]]
--#include lib/job.lua
--#include lib/release.lua
checkKeyTypes()

return forEachJob(4, function(job, score, by, why)
    if job.state ~= 'held' then
        return conflictReply(job)
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
end)
