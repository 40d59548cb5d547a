#!lua
--[[
replay -- puts jobs back into the state that the journal has of them, because the store has lost its newest writes.

Transition   any or none -> scheduled, ready, leased, held, dead, trashed, done or forgotten
             (docs/job-lifecycle.md, row "replay")

KEYS[1]  the shard's prefix
ARGV[1]  to ARGV[3] as of every script (lib/base.lua), then for each job:
    id
    place...   the eight arguments from state to origin, as in lib/restored.lua; or state "gone": the job has
               ended and is removed
    highest    the highest arrival number that the journal knows of this shard
    record     docs/redis-schema.md, "The record"

Returns  for each job "ok" | "unreadable"

Touches  every set of a job: j:* index lanes due:* expiry lease held held_bytes box:* boxes seq dead trash done past
         forgotten error origin taken ahead events wake; busy:* parked:* slots:* limits, where topics have limits

Why      Everything that was acknowledged must still be true: not only pushes, but also finished, deleted and
         rescheduled jobs. The shard is not served while this runs, so no job moves meanwhile. A worker whose
         lease has not ended keeps its job (recover.lua).
]]
--#include lib/complete.lua
--#include lib/restored.lua
checkKeyTypes()

local replayed = {}
local replies = moveEach(11, function(id, state, score, failedAttempts, attemptOffset, arrival, nextAttempt, lastError,
                                      origin, highestArrival, record)
    local existing, refusal = find(id)
    if refusal == 'unreadable' then
        return refusal
    end
    local job
    if state ~= 'gone' then
        job = jobOf(id, record)
        if not job then
            return 'unreadable'
        end
        checkPlaceTypes(job)
    end
    raiseArrivalNumber(highestArrival)
    if existing then
        leaveSet(existing)
        leaveMailbox(existing)
        forget(existing)
    end
    if job then
        insertRestored(job, record, state, score, failedAttempts, attemptOffset, arrival, nextAttempt, lastError,
                       origin)
        replayed[#replayed + 1] = id
    end
    return 'ok'
end)
-- The event carries each job's row as it is now: an earlier caller, which passed no serving token, may have
-- moved a job a moment ago.
appendEvent('replay', groupByHash(replayed))
return replies
