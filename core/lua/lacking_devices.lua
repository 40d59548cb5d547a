#!lua flags=allow-oom
--[[
lacking_devices -- which of somebody's devices lack messages that go to each of them.

Transition   none: the mailbox's next attempt becomes that of its devices        (docs/job-lifecycle.md, "Every device")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    recipient
    if absent  when the mailbox is looked at again if nobody can be served, ms; "" = leave as it is
    n          how many devices follow
    device...  "" = whoever a proxy knows: lacks what waits while no device has been given any of it

Returns  for each request the devices that lack messages, that nobody serves and whose next attempt has
         come, in their order

Touches  boxes wake; reads box:* devices:*

Why      A REGISTER comes every few minutes and a mailbox keeps what its devices have for those that
         come later: so one look must say that there is nothing to do. A device that is not named
         has gone, and what it lacks is no reason to try the mailbox. Behind a proxy what a device
         has must not go to whom the proxy knows: that might be the same device.
]]
--#include lib/devices.lua
guard({boxes = 'zset'})
local kClaimTime = 60000  -- ms: by then the caller has claimed, or has crashed

-- The devices that lack messages; moves the mailbox's next attempt, and drops one that holds nothing.
local function findLacking(recipient, nextIfAbsent, devices)
    local newestArrival = call('ZRANGE', K .. 'box:' .. recipient, -1, -1, 'WITHSCORES')[2]
    if not newestArrival then
        call('ZREM', K .. 'boxes', recipient)
        return {}
    end
    local lacking, next = {}, math.huge
    if devices[1] == '' then
        devices = {}
        lacking[1] = call('EXISTS', devicesHash(recipient)) == 0 and '' or nil
    end
    if #devices == 0 then
        next = lacking[1] and now + kClaimTime or tonumber(nextIfAbsent)
    end
    for n, text in ipairs(#devices > 0 and call('HMGET', devicesHash(recipient), unpack(devices)) or {}) do
        local state = readDevice(text)
        if state.arrival >= tonumber(newestArrival) then
            -- it lacks nothing
        elseif state.leaseEnds > now then
            next = math.min(next, state.leaseEnds + kGrace)
        elseif state.next > now then
            next = math.min(next, state.next)
        else
            lacking[#lacking + 1] = devices[n]
            next = math.min(next, now + kClaimTime)
        end
    end
    if next == math.huge then
        call('ZADD', K .. 'boxes', '+inf', recipient)
    elseif next then
        setNextAttempt(recipient, string.format('%.0f', next))
    end
    return lacking
end

return answerLists(3, 1, function(first, last, recipient, nextIfAbsent)
    return findLacking(recipient, nextIfAbsent, {unpack(ARGV, first, last)})
end)
