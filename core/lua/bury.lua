#!lua flags=allow-oom
--[[
bury -- give the job up.

Transition   leased, scheduled, ready or held -> dead        (docs/job-lifecycle.md, row "bury")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    attempt    the caller's fencing token, 0 = in any live state
    states     with attempt 0: in which the caller expects it, names with a space between; "" = in any live state
    reason     becomes last_error
    note       what the worker tells of the attempt, for the journal; may be empty
    by         the actor, when an operator does it; else empty

Returns  for each job "ok" | "gone"
         | "stale <state> <attempts begun>" (leased again since, or not leased)
         | "conflict <state>" (it has ended already, or is in none of `states`) | "unreadable"

Touches  lease due:* held held_bytes ahead expiry past error origin box:* boxes dead events; busy:* parked:* slots:*
         limits wake, where topics have limits

Why      The place it had is kept in `origin`, so that an operator can put it back.
]]
--#include lib/expected.lua
checkKeyTypes()

local kLive = {scheduled = true, leased = true, held = true}
local replies = moveEach(6, function(id, attempt, states, reason, note, by)
    local job, refusal = find(id)
    if not job then
        call('ZREM', K .. 'lease', id)  -- an id without a readable record would lapse for ever
        return refusal
    end
    refusal = attempt ~= '0' and leaseRefusal(job, attempt)
    if refusal then
        return refusal
    end
    refusal = not kLive[job.state] and conflictReply(job) or attempt == '0' and expectationRefusal(job, states)
    if refusal then
        return refusal
    end
    die(job, reason)
    keepNote(id, note)
    groupByActor(id, by, reason)
    return 'ok'
end)
appendGroups('bury')
return withEvent(replies)
