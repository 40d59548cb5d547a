#!lua
--[[
import -- a job as an export has it.

Transition   none -> scheduled, ready, leased, held, dead, trashed or done        (docs/job-lifecycle.md, row "import")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    mode       "keep" = what is there stays, "replace" = it is overwritten
    states     in which the caller expects what is to be overwritten, names with a space between; "" = in any, and it
               need not be there
    created    ms: only while what is to be overwritten is the record that was created then; "" = whatever is there
    place...   state to origin: eight, as lib/restored.lua says
    by, why    the actor and the reason
    record     docs/redis-schema.md, "The record"

Returns  for each job "ok" | "same <id>" (it is there: the same content, or exactly so) | "conflict"
         (same id, other content) | "conflict <state>" (in none of `states`) | "changed" (its record was created at
         another time than `created`) | "gone" (`states` or `created` are told, and it is not there) | "unreadable"
         (its record, or the one that would be replaced, has an unknown format)

Touches  any state; expiry held_bytes ahead j:* index lanes box:* boxes seq past forgotten error origin taken weights:* events
         wake; busy:* parked:* slots:* limits, where topics have limits

Why      One step puts it where it was, so that nobody can claim what is dead, and a crash leaves
         nothing half way. The number of an attempt never goes back: in the place of a job that has
         had more of them, the additional ones count no longer. Who changes a job by its import names the states in
         which it was seen, and when the record was created that was seen: what was trashed since must not come back,
         and of two who change it at one moment the later one must hear of it.
]]
--#include lib/restored.lua
--#include lib/expected.lua
--#include lib/devices.lua
--#include lib/weights.lua
checkKeyTypes()

-- Whether the store already has the job exactly like this.
local function isIdentical(id, record, state, score, failedAttempts, attemptOffset, arrival, nextAttempt, lastError,
                           origin)
    local row = rowOf(id, true)
    local sameScore = state == 'held' or tonumber(row[2]) == tonumber(score)
    local samePlace = arrival ~= 'new' and tonumber(row[4]) == tonumber(arrival)
    local sameNext = arrival == '' or tonumber(row[5]) == (nextAttempt ~= '' and tonumber(nextAttempt) or math.huge)
    local sameAttempts = row[3] == formatAttempts(failedAttempts, attemptOffset)
    return row[1] == state and sameScore and sameAttempts and samePlace and sameNext and row[6] == lastError and
               row[7] == origin and row[8] == record
end

-- The attempts of the job that comes in the place of another, and how many count no longer: never fewer
-- than that has had.
local function attemptsAfter(old, failedAttempts, attemptOffset)
    local begun = old.failedAttempts + (old.state == 'leased' and 1 or 0)
    local surplus = begun - tonumber(failedAttempts)
    if surplus <= 0 then
        return failedAttempts, attemptOffset
    end
    return string.format('%d', begun), string.format('%d', surplus + tonumber(attemptOffset))
end

local function removeOld(old)
    unindex({old.id}, {call('HGET', old.key, old.field)})
    leaveSet(old)
    leaveMailbox(old)
    for _, hash in ipairs({'past', 'forgotten', 'error', 'origin', 'taken'}) do
        call('HDEL', K .. hash, old.id)
    end
end

-- Why what is there is not what the caller has seen, or nothing.
local function changeRefusal(storedRecord, created)
    return not wasCreatedAt(storedRecord, created) and 'changed' or nil
end

local replies = moveEach(15, function(id, mode, states, created, state, score, failedAttempts, attemptOffset, arrival,
                                      nextAttempt, lastError, origin, by, why, record)
    local job = jobOf(id, record)
    if not job then
        return 'unreadable'
    end
    local storedRecord = call('HGET', job.key, job.field)
    if not storedRecord and (states ~= '' or created ~= '') then
        return 'gone'
    end
    if storedRecord and mode == 'keep' then
        return sub(storedRecord, kContentStart) == sub(record, kContentStart) and 'same ' .. id or 'conflict'
    end
    if storedRecord and isIdentical(id, record, state, score, failedAttempts, attemptOffset, arrival, nextAttempt, lastError,
                             origin) then
        return 'same ' .. id
    end
    local old, refusal
    if storedRecord then
        old, refusal = find(id)
        refusal = refusal or expectationRefusal(old, states) or changeRefusal(storedRecord, created)
    end
    if refusal then
        return refusal
    end
    checkPlaceTypes(job)
    if old then
        failedAttempts, attemptOffset = attemptsAfter(old, failedAttempts, attemptOffset)
        removeOld(old)
    end
    if tonumber(arrival) then
        raiseArrivalNumber(arrival)
        arrival = wouldBeSkipped(job, arrival) and 'new' or arrival
    end
    if arrival ~= '' then
        forgetWeights({job.recipient})  -- counted anew at the next push
    end
    insertRestored(job, record, state, score, failedAttempts, attemptOffset, arrival, nextAttempt, lastError,
                   origin)
    groupByActor(id, by, why)
    return 'ok'
end)
appendGroups('push')
return withEvent(replies)
