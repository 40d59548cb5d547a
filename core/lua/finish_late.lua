#!lua flags=allow-oom
--[[
finish_late -- a job whose attempt had been given up was done all the same; forget it, or keep it
while `retention.done` lasts.

Transition   leased, scheduled, ready, held, dead -> done        (docs/job-lifecycle.md, row "finish_late")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    attempt    the last one that was made: while the job is leased the lease's token, else the last that ended
    created    ms: only while it is the record that was created then; "" = whatever has the id
    keep       "1" = into the set of the done, "0" = forget
    note       what the worker tells of it, for the journal; may be empty

Returns  for each job "ok" | "gone"
         | "stale <state> <attempts begun>" (another attempt has been made since, or is under way)
         | "changed" (its record was created at another time) | "conflict <state>" (attempt 0; trashed or done)
         | "unreadable"

Touches  lease due:* held held_bytes ahead expiry dead done past forgotten error origin taken j:* index finished:*
         box:* boxes events; busy:* parked:* slots:* limits wake, where topics have limits

Why      An answer may come when nobody waits for it any more. Every attempt that was really made
         raises `past` when it ends, so the number tells whether the job is as the attempt left it. Not whether it is
         the same: who replaces a job goes on with its numbers.
]]
--#include lib/complete.lua
checkKeyTypes()

local kFrom = {leased = true, scheduled = true, held = true, dead = true}

local function refusalOf(job, attempt, created)
    if attempt == '0' or not kFrom[job.state] then
        return conflictReply(job)
    end
    if not wasCreatedAt(call('HGET', job.key, job.field), created) then
        return 'changed'
    end
    local last = job.state == 'leased' and job.failedAttempts + 1 or job.failedAttempts
    return tonumber(attempt) ~= last and staleReply(job) or nil
end

return withEvent(forEachJob(5, function(job, attempt, created, keep, note)
    local refusal = refusalOf(job, attempt, created)
    if refusal then
        return refusal
    end
    complete(job, keep)
    keepNote(job.id, note)
    -- For whoever reads the history it is a finish, from another state than usual.
    appendEvent('finish', groupByHash({job.id}), '', '', function()
        return {'from', job.state == 'scheduled' and tonumber(job.score) <= now and 'ready' or job.state}
    end)
    return 'ok'
end))
