#!lua
--[[
recover -- bring back jobs that the store has lost and the journal has.

Transition   none -> scheduled, ready, leased, held, dead or trashed        (docs/job-lifecycle.md, row "recover")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    place...   state to origin: eight, as lib/restored.lua says
    highest    the highest arrival number that the journal knows of this shard
    record     docs/redis-schema.md, "The record"
    known      "1" = the journal has the job just so, "" = it is told how it stands now
    by         an operator who asks for it, "" = the daemon itself
    why        the reason, "" = none

Returns  for each job "ok" | "there" (the store has it: left alone) | "unreadable"

Touches  j:* index lanes due:* expiry lease held held_bytes box:* boxes seq dead trash past forgotten error
         origin events wake; busy:*, where topics have limits; reads limits

Why      A lease that stands is kept with the attempt's number, or what a worker is at would be given to
         another one, and the worker's own word refused. What is in the store is newer than what the
         journal says of it, so it is never touched. The arrival numbers go on behind the highest one
         known, or a new message would come before old ones.
]]
--#include lib/restored.lua
checkKeyTypes()

-- Of the jobs that the journal has just so it is told the state only, for which it has to write a line
-- of history and nothing else: while it writes them nobody is served.
local function recordedState(state, score, known)
    if known ~= '' then
        return state == 'scheduled' and tonumber(score) <= now and 'ready' or state
    end
end

local replies = moveEach(14, function(id, state, score, failedAttempts, attemptOffset, arrival, nextAttempt, lastError,
                                      origin, highestArrival, record, known, by, why)
    local key, field = addressOf(id)
    if call('HEXISTS', key, field) == 1 then
        return 'there'
    end
    local job = jobOf(id, record)
    if not job then
        return 'unreadable'
    end
    checkPlaceTypes(job)
    raiseArrivalNumber(highestArrival)
    insertRestored(job, record, state, score, failedAttempts, attemptOffset, arrival, nextAttempt, lastError,
                   origin)
    groupByActor(id, by, why, recordedState(state, score, known))
    return 'ok'
end)
appendGroups('recover')
return replies
