#!lua flags=allow-oom
--[[
cool -- jobs that are due in a long while leave Redis; the journal's database has them.

Transition   scheduled -> cold        (docs/job-lifecycle.md, row "cool")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    version    of its row, which is committed: the time of the claim, ms
    score, failed, error, record    the job as the row has it; failed as formatAttempts() does

Returns  for each job "ok" | "gone" | "changed" (it is not as the row has it, or may not be cold: it is held, leased,
         ended, or expires before it is due) | "crossing" (somebody pushes this id, or it has just come) | "late"
         (the claim does not hold any more) | "unreadable"

Touches  crossing j:* due:* expiry past forgotten error origin taken index events; reads lease held dead trash done

Why      The mark in `crossing` says that it was this script that took the job away, which whoever finds the row
         after a crash must know: the row is the job, or the job has ended. Redis' own clock decides
         whether the claim holds, because the caller may have been stopped since it looked at its own.
]]
--#include lib/complete.lua
--#include lib/crossing.lua
checkKeyTypes()
guardCrossing()

local rowsById = {}

local function refusalOf(id, version, score, failedAttempts, lastError, record)
    if not isClaimValid(version) then
        return 'late'
    end
    local job, refusal = find(id)
    if not job then
        return refusal
    end
    local same = job.state == 'scheduled' and tonumber(job.score) == tonumber(score) and
                     call('HGET', job.key, job.field) == record and attemptsOf({id})[1] == failedAttempts and
                     (call('HGET', K .. 'error', id) or '') == lastError and job.arrival == false
    if not same or (job.expires > 0 and job.expires <= job.score + 0) then
        return 'changed'
    end
    return markOf(id) and 'crossing' or nil, job
end

local cooled = {}
local replies = moveEach(6, function(id, version, score, failedAttempts, lastError, record)
    local refusal, job = refusalOf(id, version, score, failedAttempts, lastError, record)
    if refusal then
        return refusal
    end
    local row = rowOf(id, false)
    row[1] = 'cold'
    -- The mark first: this script cut short must not leave a job that is nowhere; then as purge.lua.
    setMark(id, 'out ' .. version)
    forget(job)
    leaveSet(job)
    rowsById[id], cooled[#cooled + 1] = row, id
    return 'ok'
end)
local groups = groupByHash(cooled)
appendEvent('cool', groups, nil, nil, function()
    local list = {}
    for _, group in ipairs(groups) do
        for _, field in ipairs(group.fields) do
            list[#list + 1] = rowsById[group.shared .. field]
        end
    end
    return {'row', cmsgpack.pack(list)}
end)
return replies
