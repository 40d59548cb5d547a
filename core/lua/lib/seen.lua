-- What people are shown of the devices of a user, also when they are gone: a field for each in the hash
-- `seen:<aor>`, "<since ms> <last REGISTER ms> <until ms> <contact> <agent>" (docs/redis-schema.md). Bindings go
-- without a trace, so nobody could tell otherwise since when somebody is away, and with what they were here. It is for
-- people only, so the journal is not told.
--
-- Gives  noteSeen noteGone trimSeen
--#include lib/base.lua

local kSeenFor = 2592000000  -- ms after the last binding: 30 days
local kGoneDevicesKept = 20  -- devices that are remembered besides the registered ones

-- The device has registered: `registration` has contact, agent and expires (ms); `wasThere`, whether it was before this.
-- Answers how many were not known before: 1 or 0.
local function noteSeen(aor, device, registration, wasThere)
    local seen = K .. 'seen:' .. aor
    local since = now
    if wasThere then
        local notedSince, ends = string.match(call('HGET', seen, device) or '', '^(%d+) %d+ (%d+) ')
        since = notedSince and tonumber(ends) > now and notedSince or 0  -- 0: since before anybody noted it
    end
    local contact = registration.contact
    if string.find(contact, '%s') then
        contact = string.gsub(contact, '%s', '%%20')
    end
    return call('HSET', seen, device,
         string.format('%d %d %d %s %s', tonumber(since), now, tonumber(registration.expires), contact, registration.agent))
end

-- Records that its registration has ended, before its time or at it.
local function noteGone(aor, device)
    local seen = K .. 'seen:' .. aor
    local front, ends, rest = string.match(call('HGET', seen, device) or '', '^(%d+ %d+) (%d+) (.*)$')
    if front and tonumber(ends) > now then
        call('HSET', seen, device, string.format('%s %.0f %s', front, now, rest))
    end
end

-- Removes the devices that have been gone for longest.
local function forgetSeen(seen, surplus)
    local devices, flat = {}, call('HGETALL', seen)
    for n = 1, #flat, 2 do
        local ends = tonumber(string.match(flat[n + 1], '^%d+ %d+ (%d+) ')) or 0
        devices[#devices + 1] = {device = flat[n], ends = ends}
    end
    table.sort(devices, function(a, b)
        return a.ends < b.ends or (a.ends == b.ends and a.device < b.device)
    end)
    for n = 1, surplus do
        call('HDEL', seen, devices[n].device)
    end
end

-- Removes the devices that are too many, and sets how long the key lives. To be called after the others: `known` devices
-- are noted, of which `registered` are there, the last until `last`, ms.
local function trimSeen(aor, known, registered, last)
    local seen = K .. 'seen:' .. aor
    local surplus = known - registered - kGoneDevicesKept
    if surplus > 0 then
        forgetSeen(seen, surplus)
    end
    call('PEXPIREAT', seen, string.format('%d', math.max(last, now) + kSeenFor))
end
