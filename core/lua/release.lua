#!lua flags=allow-oom
--[[
release -- let a held job go.

Transition   held -> scheduled or ready        (docs/job-lifecycle.md, row "release")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
ARGV[3]  worker         who calls, for the journal
then for each job:
    id
    score      now + arrival fraction: where nobody knows when it was due
    by         the actor
    why        the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (not held) | "unreadable"

Touches  held due:* expiry origin boxes devices:* events wake

Why      A job goes on where it was stopped: at its own due time, come or not. A message stays in its
         mailbox, for the sake of order: the whole mailbox becomes due.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
--#include lib/job.lua
--#include lib/devices.lua
guardAll()

local replies = each(4, function(id, due, by, why)
    local job, refusal = find(id)
    if not job then
        return refusal
    end
    if job.state ~= 'held' then
        return impossible(job)
    end
    if job.arrival then
        openDevices(job.recipient)
        tryMailbox(job.recipient, now)
    else
        local kept = keptDue(id)
        leave(job)
        call('HDEL', K .. 'origin', id)
        enterLane(job, kept or due)
    end
    append('release', byHash({id}), by, why)
    return 'ok'
end)
return replies
