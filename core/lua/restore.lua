#!lua
--[[
restore -- put a job back where it was.

Transition   trashed, dead or done -> scheduled, ready, held, dead or done        (docs/job-lifecycle.md, row "restore")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    states     in which the caller expects it, names with a space between; "" = in any that it may start from
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (it has not ended, or is in none of `states`)
         | "unreadable"

Touches  trash dead done origin due:* lanes held held_bytes expiry box:* boxes seq events wake; reads taken devices:*

Why      All of it comes from `origin`; a job that had ended before it was trashed has ended again,
         and can be restored once more. The event has the record, because a journal keeps done jobs only for a time of
         its own.
]]
--#include lib/expected.lua
--#include lib/devices.lua
checkKeyTypes()

local function putBack(job)
    local origin = call('HGET', K .. 'origin', job.id) or 'scheduled ' .. ARGV[1] .. ' - -'
    local state, score, arrival, next, previousOrigin =
        string.match(origin, '^(%l+) (%S+) (%S+) (%S+) ?(.*)$')
    leaveSet(job)
    if arrival ~= '-' and wouldBeSkipped(job, arrival) then
        arrival = nil
    end
    enterPlace(job, state, score, arrival, next, previousOrigin)
end

return withEvent(forEachJob(4, function(job, states, by, why)
    local refusal = not kEnded[job.state] and conflictReply(job) or expectationRefusal(job, states)
    if refusal then
        return refusal
    end
    call('ZCARD', job.box)  -- refuses a key of a foreign type
    putBack(job)
    appendEvent('restore', groupByHash({job.id}), by, why)
    return 'ok'
end))
