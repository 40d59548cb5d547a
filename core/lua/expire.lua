#!lua flags=allow-oom
--[[
expire -- what nobody took in time dies.

Transition   scheduled, ready or held -> dead        (docs/job-lifecycle.md, row "expire")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
then for each request:
    max        jobs

Returns  for each request the ids that expired

Touches  expiry held due:* box:* boxes origin error dead events

Why      `expires` is a promise not to deliver late; the reason of death is "expired".
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
--#include lib/job.lua
guardAll()

-- An id whose record is gone or unknown leaves the set alone: it cannot expire again and again.
local function expireFrom(set, max, expired)
    local ids = call('ZRANGEBYSCORE', K .. set, '-inf', ARGV[1], 'LIMIT', 0, max)
    for _, id in ipairs(ids) do
        local job = find(id)
        call('ZREM', K .. set, id)
        if job and (job.state == 'scheduled' or job.state == 'held') then
            die(job, 'expired')
            expired[#expired + 1] = id
        end
    end
end

local replies = {}
for i = 3, #ARGV do
    local expired, max = {}, tonumber(ARGV[i])
    expireFrom('expiry', max, expired)
    if #expired < max then
        expireFrom('held', max - #expired, expired)
    end
    append('expire', byHash(expired))
    replies[#replies + 1] = expired
end
return replies
