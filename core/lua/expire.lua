#!lua flags=allow-oom
--[[
expire -- what nobody took in time dies.

Transition   scheduled, ready or held -> dead, or held -> done        (docs/job-lifecycle.md, row "expire")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    max        jobs
    keep       "1" = what ends as done is kept, "0" = forgotten

Returns  for each request the ids whose time was over

Touches  expiry held held_bytes ahead due:* box:* boxes origin error dead events; taken past forgotten done j:* index
         finished:*

Why      `expires` is a promise not to deliver late; the reason of death is "expired". A message that
         went to every device has done its duty when at least one has it.
]]
--#include lib/complete.lua
checkKeyTypes()
call('ZCARD', K .. 'done')  -- refuses a key of a foreign type

local kRefused = 'expired; refused by every device that was offered it'
local anyTaken = call('EXISTS', K .. 'taken') == 1

-- Ends a job whose time is over; true when it had reached a device.
local function endExpired(job, keep)
    local taken = anyTaken and call('HGET', K .. 'taken', job.id)
    if taken and tonumber(taken) > 0 then
        complete(job, keep)
        return true
    end
    die(job, taken and kRefused or 'expired')
    return false
end

-- An id whose record is gone or unknown is only removed from the set, so that it does not come up again.
local function expireFrom(set, max, keep, expired)
    local ids = call('ZRANGEBYSCORE', K .. set, '-inf', ARGV[1], 'LIMIT', 0, max)
    for _, id in ipairs(ids) do
        local job = find(id)
        call('ZREM', K .. set, id)
        if job and (job.state == 'scheduled' or job.state == 'held') then
            local list = endExpired(job, keep) and expired.done or expired.dead
            list[#list + 1] = id
            expired.all[#expired.all + 1] = id
        end
    end
end

return answerEach(2, function(most, keep)
    local expired, max = {all = {}, dead = {}, done = {}}, tonumber(most)
    expireFrom('expiry', max, keep, expired)
    if #expired.all < max then
        expireFrom('held', max - #expired.all, keep, expired)
    end
    appendEvent('expire', groupByHash(expired.dead))
    appendFinishEvent(expired.done)
    return expired.all
end)
