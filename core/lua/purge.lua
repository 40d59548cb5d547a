#!lua flags=allow-oom
--[[
purge -- forget a job for good.

Transition   any state -> none        (docs/job-lifecycle.md, row "purge")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
ARGV[3]  worker         who calls, for the journal
then for each job:
    id
    by         the actor
    why        the reason

Returns  for each job "ok" | "gone" | "unreadable"

Touches  j:* lease due:* held expiry dead trash done past error origin taken index box:* boxes events

Why      The journal has the history; nothing of the job stays here.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
--#include lib/job.lua
--#include lib/index.lua
--#include lib/finished.lua
--#include lib/complete.lua
guardAll()

local replies = each(3, function(id, by, why)
    local job, refusal = find(id)
    if not job then
        return refusal
    end
    forget(job)  -- first: half of this script must not leave a job that comes back
    leave(job)
    leaveBox(job)
    append('purge', byHash({id}), by, why)
    return 'ok'
end)
return replies
