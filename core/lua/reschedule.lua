#!lua
--[[
reschedule -- give a job another time.

Transition   scheduled, ready, held or dead -> scheduled        (docs/job-lifecycle.md, row "reschedule")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    score      due ms + arrival fraction
    only       due ms: only while it is in its lane and due then; "" = whenever it is due
    states     in which the caller expects it, names with a space between; "" = in any that it may start from
    offset     how many of its failed attempts count no longer, at most all; "" = as many as so far
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (leased, trashed or done, or in none of `states`)
         | "moved" (due at another time than `only`) | "unreadable"

Touches  due:* lanes held held_bytes ahead dead expiry origin forgotten box:* boxes events wake

Why      A leased job is its worker's to retry; taking it away needs trash. The attempts are reset by
         noting how many do not count: their number goes on, because it fences the leases, and an
         answer to the old first attempt must not end a new first one.
]]
--#include lib/expected.lua
checkKeyTypes()

local kFrom = {scheduled = true, held = true, dead = true, lost = true}

-- Sets the attempt offset. Returns what the history tells of it; nil when nothing changes.
local function setOffset(job, asked)
    local before = tonumber(call('HGET', K .. 'forgotten', job.id) or 0)
    local after = math.min(tonumber(asked), job.failedAttempts)
    if after == before then
        return nil
    end
    if after > 0 then
        call('HSET', K .. 'forgotten', job.id, string.format('%d', after))
    else
        call('HDEL', K .. 'forgotten', job.id)
    end
    return after > before and 'attempts reset' or 'attempts count again'
end

-- What the audit tells of an operator's move: from when to when. A job that is not in its lane is due at no time.
local function duesOf(job, score)
    local fields = {'due_is', string.format('%.0f', math.floor(tonumber(score)))}
    if job.state == 'scheduled' then
        fields[3], fields[4] = 'due_was', string.format('%.0f', math.floor(tonumber(job.score)))
    end
    return fields
end

return withEvent(forEachJob(7, function(job, score, only, states, offset, by, why)
    local refusal = not kFrom[job.state] and conflictReply(job) or expectationRefusal(job, states)
    if refusal then
        return refusal
    end
    if only ~= '' and not isDueAt(job, only) then
        return 'moved'
    end
    local offsetChange = offset ~= '' and setOffset(job, offset)
    if offsetChange then
        why = why == '' and offsetChange or why .. ' (' .. offsetChange .. ')'
    end
    local dues = by ~= '' and duesOf(job, score)
    leaveSet(job)
    leaveMailbox(job)
    call('HDEL', K .. 'origin', job.id)
    enterLane(job, score)
    appendEvent('reschedule', groupByHash({job.id}), by, why, nil, dues or nil)
    return 'ok'
end))
