#!lua flags=allow-oom
--[[
reap -- the worker did not come back in time.

Transition   leased, lapsed -> scheduled, held or dead        (docs/job-lifecycle.md, row "reap")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    attempt    of the lapsed lease
    action     "retry" | "hold" | "dead"
    recipient  for "hold": its mailbox, "" = none
    next       retry: due ms + arrival fraction; hold: the next mailbox attempt, ms
    reason     becomes last_error; "" keeps the one before

Returns  for each job "ok" | "gone" | "stale" (finished, touched or claimed in the meantime)
         | "unreadable"

Touches  lease due:* lanes held held_bytes ahead expiry past error origin box:* boxes seq dead events wake; busy:*
         parked:* slots:* limits, where topics have limits; reads came:*

Why      A lapsed lease always counts as an attempt: a job that kills its worker must not come back for
         ever.
]]
--#include lib/job.lua
checkKeyTypes()

local function lapsed(job, attempt)
    return not leaseRefusal(job, attempt) and tonumber(job.score) <= now
end

local kActions = {}

function kActions.retry(job, recipient, next, reason)
    countAttempt(job)
    leaveSet(job)
    leaveMailbox(job)
    setError(job, reason)
    enterLane(job, next)
end

function kActions.hold(job, recipient, next, reason)
    call('ZCARD', job.box)  -- refuses a key of a foreign type
    countAttempt(job)
    leaveSet(job)
    setError(job, reason)
    if recipient ~= '' and recipient == job.recipient then
        call('ZADD', job.box, job.arrival or call('INCR', K .. 'seq'), job.id)
        setNextAttempt(recipient, nowIfReleased(recipient, next))
    end
    enterHeld(job)  -- last, as in hold.lua
end

function kActions.dead(job, recipient, next, reason)
    die(job, reason)
end

local reaped = {}
local replies = forEachJob(6, function(job, attempt, action, recipient, next, reason)
    if not lapsed(job, attempt) then
        return 'stale'
    end
    kActions[action](job, recipient, next, reason)
    reaped[#reaped + 1] = job.id
    return 'ok'
end)
appendEvent('reap', groupByHash(reaped))
return replies
