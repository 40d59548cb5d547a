#!lua flags=allow-oom
--[[
touch -- the worker needs more time.

Transition   leased -> leased        (docs/job-lifecycle.md, row "touch")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    attempt    the caller's fencing token, 0 = whichever is leased now
    ttr        the new length from now, ms; 0 = the job's own

Returns  for each job its new deadline, ms | "gone"
         | "stale <state> <attempts begun>" (leased again since, or not leased)
         | "conflict <state>" (attempt 0: nobody has it)
         | "unreadable"

Touches  lease events wake

Why      A lease only becomes longer by being set anew from now, so a worker cannot pile up time.
]]
--#include lib/job.lua
checkKeyTypes()

local touched = {}
local replies = forEachJob(3, function(job, attempt, ttr)
    local refusal = leaseRefusal(job, attempt)
    if refusal then
        return refusal
    end
    local deadline = now + (ttr == '0' and job.ttr or tonumber(ttr))
    setScore(K .. 'lease', 'leases', deadline, job.id)
    touched[#touched + 1] = job.id
    return string.format('%.0f', deadline)
end)
appendEvent('touch', groupByHash(touched))
return replies
