-- Mailboxes whose messages go to every device: how far each device of a recipient is. A field of
-- the hash `devices:<recipient>` is a device; its value is "<arrival> <token> <lease ends>
-- <next> <failures>": the arrival number up to which it is through, who serves it (a number that grows),
-- until when, when it is tried again, both ms and 0 = no matter, and how often in a row it could not
-- be reached. Order holds for each device by itself, so a number says all.
--
-- Needs  outbox: setNextAttempt
-- Gives  kGrace devicesHash readDevice deviceOf writeDevice tryNoLaterThan makeDevicesDue wouldBeSkipped
--#include lib/outbox.lua

local kMostDevices = 100  -- of one recipient; devices come and go, and phones invent instances
local kGrace = 1000  -- ms after a lease until the mailbox is tried again

local function devicesHash(recipient)
    return K .. 'devices:' .. recipient
end

local function readDevice(text)
    local arrival, token, leaseEnds, next, failures =
        string.match(text or '0 0 0 0 0', '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
    return {arrival = tonumber(arrival or 0), token = tonumber(token or 0), leaseEnds = tonumber(leaseEnds or 0),
            next = tonumber(next or 0), failures = tonumber(failures or 0), isNew = not text}
end

local function deviceOf(recipient, device)
    return readDevice(call('HGET', devicesHash(recipient), device))
end

local function formatDevice(state)
    return string.format('%.0f %.0f %.0f %.0f %.0f', state.arrival, state.token, state.leaseEnds, state.next, state.failures)
end

-- Makes room for a new device: removes the one that lags most, which has been away the longest.
local function forgetMostLagging(key)
    local fieldsAndTexts, least, mostLagging = call('HGETALL', key), math.huge, nil
    for n = 1, #fieldsAndTexts, 2 do
        local state = readDevice(fieldsAndTexts[n + 1])
        if state.leaseEnds <= now and state.arrival < least then
            least, mostLagging = state.arrival, fieldsAndTexts[n]
        end
    end
    if mostLagging then
        call('HDEL', key, mostLagging)
    end
end

-- `until_ms`: until when what is noted of the recipient's devices is kept at least.
local function writeDevice(recipient, device, state, until_ms)
    local key = devicesHash(recipient)
    if state.isNew and call('HLEN', key) >= kMostDevices then
        forgetMostLagging(key)
    end
    call('HSET', key, device, formatDevice(state))
    local ttl = string.format('%.0f', until_ms - now)
    if call('PEXPIRE', key, ttl, 'NX') == 0 then
        call('PEXPIRE', key, ttl, 'GT')
    end
end

-- The mailbox is tried at `next` at the latest.
local function tryNoLaterThan(recipient, next)
    setNextAttempt(recipient, string.format('%.0f', next), 'LT')
end

-- The mailbox is released: devices that were postponed are tried now, and one that is being served is
-- not postponed when its lease ends.
local function makeDevicesDue(recipient)
    local key = devicesHash(recipient)
    local fieldsAndTexts = call('HGETALL', key)
    for n = 1, #fieldsAndTexts, 2 do
        local state = readDevice(fieldsAndTexts[n + 1])
        local next = state.leaseEnds > now and now or 0
        if state.next ~= next then
            state.next = next
            call('HSET', key, fieldsAndTexts[n], formatDevice(state))
        end
    end
end

-- Whether a device that is through with later messages would skip this one at its place, and none has
-- taken or refused it.
local function wouldBeSkipped(job, arrival)
    if call('HGET', K .. 'taken', job.id) then
        return false
    end
    for _, text in ipairs(call('HVALS', devicesHash(job.recipient))) do
        if readDevice(text).arrival >= tonumber(arrival) then
            return true
        end
    end
    return false
end
