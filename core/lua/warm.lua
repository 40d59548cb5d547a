#!lua
--[[
warm -- jobs come back into Redis from the journal's database, before they are due.

Transition   cold -> scheduled or ready        (docs/job-lifecycle.md, row "warm")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    version    of its row, which is claimed and committed: the time of the claim, ms
    score, failed, offset, error, record    the job as the row has it

Returns  for each job "ok" | "there" (Redis has it, or has had it since the claim) | "conflict" (it has
         another job of this id) | "late" (the claim does not hold any more) | "unreadable"

Touches  j:* index lanes due:* expiry past forgotten error crossing events wake

Why      A mark `out` is what is left of a leaving whose owner ended before it could take it away: only a row that
         is cold is claimed, and a row is cold only once its leaving is over. The mark `in` stands until the row is
         deleted, so that a job which has come, and ended right after, is not brought in a second time. One of an
         earlier version is of an earlier move, and may come back with an older Redis. The mark is written last: cut
         short before it, the job is there. The record is written behind its place, as push does: a record alone would
         be taken for due now.
]]
--#include lib/restored.lua
--#include lib/crossing.lua
checkKeyTypes()
guardCrossing()

local replies = moveEach(7, function(id, version, score, failedAttempts, attemptOffset, lastError, record)
    if not isClaimValid(version) then
        return 'late'
    end
    local _, kind, markedVersion = markOf(id)
    if kind == 'in' and tonumber(markedVersion) >= tonumber(version) then
        return 'there'
    end
    local job = jobOf(id, record)
    if not job then
        return 'unreadable'
    end
    local storedRecord = call('HGET', job.key, job.field)
    if storedRecord then
        if storedRecord ~= record then
            return 'conflict'
        end
        setMark(id, 'in ' .. version)
        return 'there'
    end
    checkPlaceTypes(job)
    enterLane(job, score)
    for key, value in pairs({past = failedAttempts, forgotten = attemptOffset, error = lastError}) do
        if value ~= '0' and value ~= '' then
            call('HSET', K .. key, id, value)
        end
    end
    index({id}, {record})
    call('HSET', job.key, job.field, record)
    setMark(id, 'in ' .. version)
    groupByActor(id)
    return 'ok'
end)
appendGroups('warm')
return replies
