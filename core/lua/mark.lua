#!lua flags=allow-oom
--[[
mark -- a device is through with its copy of a message or with its batch, or needs longer.

Transition   held -> held        (docs/job-lifecycle.md, row "mark")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each mark:
    id         of the message
    recipient
    created    ms: of that record, so that what became of it is not another's that has replaced it; "" = of any
    device
    token      of the batch
    status     "taken" | "refused" | "waits" (the lease is extended) | "left" (the lease ends)
    error      becomes the message's last_error, "" = leave; with "left" the device was not reached
    next       with "left": when the device is tried again, ms, "" = when it registers
    lease      ms
    keep       ms that a message without an expiry is kept once a device has it
    note       what the worker tells of the attempt, for the journal; may be empty

Returns  for each mark until when the device is leased, ms, 0 = no more | "stale" (another delivery run
         serves it since)

Touches  devices:* boxes taken error held events wake

Why      The number of the message is the device's place, so a crash repeats no more than what was
         not marked. How many devices have a message decides how it ends: done, or dead.
]]
--#include lib/devices.lua
guard({boxes = 'zset', taken = 'hash', error = 'hash', held = 'zset', events = 'stream'})

-- A message that would never end is kept for a while once a device has it.
local function limitLife(id, ends)
    if call('ZSCORE', K .. 'held', id) == 'inf' then
        setScore(K .. 'held', 'expiry', string.format('%.0f', ends), id, 'XX')
    end
end

local eventGroups = {}  -- by device and why: the messages that there is something to tell of, and their notes
local function addToEvent(id, device, why, note)
    local key = device .. '\0' .. why
    eventGroups[key] = eventGroups[key] or {device = device, why = why, ids = {}, notes = {}}
    table.insert(eventGroups[key].ids, id)
    eventGroups[key].notes[id] = note
end

-- Its place in the mailbox; nil when it has ended, or was replaced.
local function arrivalOf(id, recipient, created)
    local arrival = tonumber(call('ZSCORE', K .. 'box:' .. recipient, id))
    return arrival and wasCreatedAt(call('HGET', addressOf(id)), created) and arrival or nil
end

local function advance(state, id, arrival, status, keep)
    state.failures = 0
    if not arrival then
        return
    end
    state.arrival = math.max(state.arrival, arrival)
    call('HINCRBY', K .. 'taken', id, status == 'taken' and 1 or 0)
    if status == 'taken' then
        limitLife(id, now + keep)
    end
end

local function endDeviceLease(state, recipient, failed, next)
    local releasedAt = state.next > 0 and state.next  -- meanwhile: see makeDevicesDue()
    state.leaseEnds, state.next = 0, releasedAt or tonumber(next) or 0
    state.failures = state.failures + (failed and 1 or 0)
    if state.next > 0 then
        tryNoLaterThan(recipient, state.next)
    end
end

local replies = answerEach(11, function(id, recipient, created, device, token, status, lastError, next, lease, keep, note)
    local state = deviceOf(recipient, device)
    if state.token ~= tonumber(token) then
        return 'stale'
    end
    state.leaseEnds = now + tonumber(lease)
    local isAboutMessage = status == 'taken' or status == 'refused' or lastError ~= ''
    local arrival = isAboutMessage and arrivalOf(id, recipient, created)
    if arrival and (status == 'taken' or lastError ~= '') then
        addToEvent(id, device, lastError, note)
    end
    if status == 'taken' or status == 'refused' then
        advance(state, id, arrival, status, tonumber(keep))
    elseif status == 'left' then
        endDeviceLease(state, recipient, lastError ~= '', next)
    end
    if lastError ~= '' and arrival then
        call('HSET', K .. 'error', id, lastError)
    end
    writeDevice(recipient, device, state, now + tonumber(keep))
    return string.format('%.0f', state.leaseEnds)
end)
for _, group in pairs(eventGroups) do
    attemptNotes, anyNote = {}, false  -- a message may be told of for several devices
    for id, note in pairs(group.notes) do
        keepNote(id, note)
    end
    appendEvent('mark', groupByHash(group.ids), group.device, group.why, function() return {'from', 'held'} end)
end
return replies
