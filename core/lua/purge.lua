#!lua flags=allow-oom
--[[
purge -- forget a job for good.

Transition   any state -> none        (docs/job-lifecycle.md, row "purge")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    by, why    the actor and the reason

Returns  for each job "ok" | "gone" | "unreadable"

Touches  j:* lease due:* held held_bytes ahead expiry dead trash done past forgotten error origin taken index box:*
         boxes events; busy:* parked:* slots:* limits wake, where topics have limits

Why      The journal has the history; nothing of the job stays here.
]]
--#include lib/complete.lua
checkKeyTypes()

return forEachJob(3, function(job, by, why)
    forget(job)  -- first: this script cut short must not leave a job that comes back
    leaveSet(job)
    leaveMailbox(job)
    appendEvent('purge', groupByHash({job.id}), by, why)
    return 'ok'
end)
