#!lua
--[[
replay -- jobs stand again as the journal has them, because the store has forgotten its newest writes.

Transition   any or none -> scheduled, ready, leased, held, dead, trashed, done or forgotten
             (docs/job-lifecycle.md, row "replay")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    place...   state to origin: eight, as lib/restored.lua says; state "gone": it has ended and is forgotten
    newest     the highest arrival number that the journal knows of this shard
    record     docs/redis-schema.md, "The record"

Returns  for each job "ok" | "unreadable"

Touches  every set of a job: j:* index lanes due:* expiry lease held held_bytes box:* boxes seq dead trash done past
         forgotten error origin taken busy:* events wake

Why      What was acknowledged stands: not only what was pushed, but also what was finished, deleted or
         put off. The shard is not served while this runs, so nobody moves a job meanwhile; who has one in
         hand goes on when its lease stands (recover.lua).
]]
--#include lib/complete.lua
--#include lib/restored.lua
guardAll()

local replayed = {}
local replies = each(11, function(id, state, score, failedAttempts, attemptOffset, arrival, next, text, origin,
                                  newest, record)
    local old, refusal = find(id)
    if refusal == 'unreadable' then
        return refusal
    end
    local job
    if state ~= 'gone' then
        job = jobOf(id, record)
        if not job then
            return 'unreadable'
        end
        guardPlaces(job)
    end
    raiseArrival(newest)
    if old then
        leave(old)
        leaveBox(old)
        forget(old)
    end
    if job then
        insertRestored(job, record, state, score, failedAttempts, attemptOffset, arrival, next, text, origin)
        replayed[#replayed + 1] = id
    end
    return 'ok'
end)
-- With their rows, because somebody without a token may have moved one a moment ago.
append('replay', byHash(replayed))
return replies
