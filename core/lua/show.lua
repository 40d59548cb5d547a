#!lua flags=no-writes
--[[
show -- one job as it stands.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
then for each job:
    id

Returns  for each job "gone" | "unreadable" | a list: state ("scheduled" stands for ready, too), score,
         past attempts, last error, next attempt of its mailbox ("" = it is in none), record, how many devices have it ("" = nobody asked)

Reads    j:* due:* lease held dead trash done past forgotten error box:* boxes taken

Why      The state of a job is where its id is.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
--#include lib/job.lua

return each(3, 1, function(id)
    local job, refusal = find(id)
    if not job then
        return refusal
    end
    local next = job.state == 'held' and job.arrival and call('ZSCORE', K .. 'boxes', job.recipient)
    return {job.state, job.score, pastOf({id})[1], call('HGET', K .. 'error', id) or '',
            next or '', call('HGET', job.key, job.field), call('HGET', K .. 'taken', id) or ''}
end)
