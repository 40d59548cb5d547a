#!lua
--[[
reschedule -- give a job another time.

Transition   scheduled, ready, held or dead -> scheduled        (docs/job-lifecycle.md, row "reschedule")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
then for each job:
    id
    score      due ms + arrival fraction
    by         the actor
    why        the reason

Returns  for each job "ok" | "gone" | "conflict" (leased, trashed or done) | "unreadable"

Touches  due:* held dead expiry origin box:* boxes events wake

Why      A leased job is its worker's to retry; taking it away needs trash.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
--#include lib/job.lua
guardAll()

local kFrom = {scheduled = true, held = true, dead = true, lost = true}

local replies = each(3, 4, function(id, due, by, why)
    local job, refusal = find(id)
    if not job then
        return refusal
    end
    if not kFrom[job.state] then
        return 'conflict'
    end
    leave(job)
    leaveBox(job)
    call('HDEL', K .. 'origin', id)
    enterLane(job, due)
    append('reschedule', byHash({id}), by, why)
    return 'ok'
end)
return replies
