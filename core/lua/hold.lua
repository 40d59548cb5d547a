#!lua flags=allow-oom
--[[
hold -- keep the job until its recipient can be reached.

Transition   leased, scheduled or ready -> held        (docs/job-lifecycle.md, row "hold")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    attempt    the caller's fencing token, 0 = whichever is leased now, or not leased at all
    at         when its lease must end, ms, or, where `attempt` is 0, when it must be due, not being leased;
               "" = whenever
    recipient  "" = held outside a mailbox
    next       when the mailbox is tried again, ms; "" = leave as it is, and now where there is none yet. Of
               one that is held outside a mailbox: when release makes it due; "" = when it is due now
    counted    "1" = the attempt is used up, "0" = it was not really made
    error      becomes last_error; "" keeps the one before
    note       what the worker tells of the attempt, for the journal; may be empty
    by, why    the actor and the reason, when an operator does it; else empty

Returns  for each job "ok" | "gone"
         | "stale <state> <attempts begun>" (leased again since, or not leased)
         | "conflict <state>" (held or ended already, or leased and asked for by its due time)
         | "foreign" (of another recipient) | "moved" (due at another time) | "unreadable"

Touches  lease due:* expiry past error origin held held_bytes ahead box:* boxes seq events wake; busy:*
         parked:* slots:* limits, where topics have limits; reads came:*

Why      An operator's hold stops a job, and must not make it early: `origin` keeps the due time of one that
         waits for it. A message that was leased out of its mailbox keeps its arrival number, so order survives a
         failed delivery; one that comes from a lane goes to the end.
]]
--#include lib/job.lua
checkKeyTypes()

local kFrom = {scheduled = true, leased = true}

local function refusalOf(job, attempt, at, recipient)
    local due = attempt == '0' and at ~= '' and at
    local refusal = attempt ~= '0' and leaseRefusal(job, attempt, at)
    if refusal then
        return refusal
    end
    if not kFrom[job.state] or due and job.state ~= 'scheduled' then
        return conflictReply(job)
    end
    if recipient ~= '' and recipient ~= job.recipient then
        return 'foreign'
    end
    if due and not isDueAt(job, due) then
        return 'moved'
    end
    call('ZCARD', job.box)  -- refuses a key of a foreign type
end

-- Notes where release puts a job that is held outside a mailbox.
local function keepDue(job, next)
    local due = next ~= '' and next or job.state == 'scheduled' and job.score
    if due and not job.arrival then
        call('HSET', K .. 'origin', job.id, 'scheduled ' .. due .. ' - -')
    end
end

local replies = forEachJob(10, function(job, attempt, at, recipient, next, counted, lastError, note, by, why)
    local refusal = refusalOf(job, attempt, at, recipient)
    if refusal then
        return refusal
    end
    if counted == '1' then
        countAttempt(job)
    end
    leaveSet(job)
    setError(job, lastError)
    keepNote(job.id, note)
    if recipient ~= '' then
        call('ZADD', job.box, job.arrival or call('INCR', K .. 'seq'), job.id)
        if next ~= '' then
            setNextAttempt(recipient, nowIfReleased(recipient, next))
        elseif not call('ZSCORE', K .. 'boxes', recipient) then  -- it would wait for its recipient to register
            setNextAttempt(recipient, now)
        end
    else
        keepDue(job, next)
    end
    enterHeld(job)  -- last: held without its mailbox it would wait for nobody
    groupByActor(job.id, by, why)
    return 'ok'
end)
appendGroups('hold')
return withEvent(replies)
