#!lua flags=allow-oom
--[[
trash -- an operator deletes a job, restorably.

Transition   any state but trashed -> trashed        (docs/job-lifecycle.md, row "trash")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
ARGV[3]  worker         who calls, for the journal
then for each job:
    id
    by         the actor
    why        the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (trashed already) | "unreadable"

Touches  lease due:* held expiry dead done past origin box:* boxes trash events

Why      The attempt of a leased job is counted, which makes its worker stale.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
--#include lib/job.lua
guardAll()

local replies = each(3, function(id, by, why)
    local job, refusal = find(id)
    if not job then
        return refusal
    end
    if job.state == 'trashed' then
        return impossible(job)
    end
    remember(job)
    countAttempt(job)
    leave(job)
    leaveBox(job)
    call('ZADD', K .. 'trash', now, id)
    append('trash', byHash({id}), by, why)
    return 'ok'
end)
return replies
