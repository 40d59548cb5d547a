#!lua flags=allow-oom
--[[
retry -- the attempt failed; try again later.

Transition   leased -> scheduled        (docs/job-lifecycle.md, row "retry")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    attempt    the caller's fencing token, 0 = whichever is leased now
    ends       when its lease must end, ms; "" = whenever
    score      due ms + arrival fraction
    counted    "1" = the attempt is used up, "0" = it was not really made
    error      becomes last_error; "" keeps the one before
    note       what the worker tells of the attempt, for the journal; may be empty

Returns  for each job "ok" | "gone"
         | "stale <state> <attempts begun>" (leased again since, or not leased)
         | "conflict <state>" (attempt 0: nobody has it) | "unreadable"

Touches  lease due:* lanes expiry past error box:* boxes ahead held_bytes events wake; busy:* parked:* slots:*
         limits, where topics have limits

Why      When to try again, and whether at all, is the caller's policy (core/queue/delay_queue).
]]
--#include lib/job.lua
checkKeyTypes()

local retried = {}
local replies = forEachJob(7, function(job, attempt, ends, score, counted, errorText, note)
    local refusal = leaseRefusal(job, attempt, ends)
    if refusal then
        return refusal
    end
    if counted == '1' then
        countAttempt(job)
    end
    leaveSet(job)
    leaveMailbox(job)
    setError(job, errorText)
    keepNote(job.id, note)
    enterLane(job, score)
    retried[#retried + 1] = job.id
    return 'ok'
end)
appendEvent('retry', groupByHash(retried))
return withEvent(replies)
