#!lua flags=allow-oom
--[[
purge -- forget a job for good.

Transition   any state -> none        (docs/job-lifecycle.md, row "purge")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    states     in which the caller expects it, names with a space between; "" = in any
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "conflict <state>" (in none of `states`) | "unreadable"

Touches  j:* lease due:* held held_bytes ahead expiry dead trash done past forgotten error origin taken index box:*
         boxes events; busy:* parked:* slots:* limits wake, where topics have limits

Why      The journal has the history; nothing of the job stays here. What somebody restores while it is on its way here
         stays where the caller says from which states it is taken.
]]
--#include lib/complete.lua
--#include lib/expected.lua
checkKeyTypes()

return withEvent(forEachJob(4, function(job, states, by, why)
    local refusal = expectationRefusal(job, states)
    if refusal then
        return refusal
    end
    forget(job)  -- first: this script cut short must not leave a job that comes back
    leaveSet(job)
    leaveMailbox(job)
    appendEvent('purge', groupByHash({job.id}), by, why)
    return 'ok'
end))
