#!lua flags=no-writes
--[[
mailbox -- one mailbox, and the devices of its recipient.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    recipient

Returns  for each request a flat list: messages, next attempt, ms or "inf" or "" (no mailbox), when the first and when
         the last of the messages was pushed, ms or "", when the first expires, ms, 0 = never, or ""; then for each
         device what it is called, its contact, its agent, since when it is registered without a gap, ms, 0 = unknown or
         not, its last registration, ms, until when, ms, and "1" = it is registered

Reads    box:* boxes j:* aor:* seen:*

Why      Bindings are what counts; what `seen` remembers of each device tells more of it, and of those that are gone.
         Neither has more than some dozens.
]]
--#include lib/base.lua

local function formatMs(number)
    return string.format('%.0f', tonumber(number) or 0)
end

-- When the message was pushed, and when it expires; nothing of one that cannot be read.
local function momentsOf(id)
    local record = id and fetch({id})[1]
    if not record or not timesOf(record) then
        return '', ''
    end
    local _, expires, created = struct.unpack('>xxI4I6I6', record)
    return formatMs(created), formatMs(expires)
end

-- What `seen` has of a device: "<since> <last registration> <until> <contact> <agent>", times in ms.
local function rememberedOf(text)
    local since, seen, ends, contact, agent = string.match(text or '', '^(%d+) (%d+) (%d+) (%S*) ?(.*)$')
    return since and {since = since, seen = seen, ends = ends, contact = contact, agent = agent}
end

local function addDevice(reply, name, device, registered)
    for _, text in ipairs({name, device.contact, device.agent, device.since, device.seen, device.ends, registered}) do
        reply[#reply + 1] = text
    end
end

-- When the binding was renewed last, when it ends, ms, and its contact where the record says so in a way that is read
-- here: what `seen` has of a device tells the rest. Records of bindings are JSON, or packed (byte, expires, updated).
local function bindingOf(text)
    local readable, record = pcall(cjson.decode, text)
    if readable and type(record) == 'table' then
        return tonumber(record.updated_ms) or 0, tonumber(record.expires_ms) or 0, tostring(record.contact or '')
    end
    if #text < 13 then
        return 0, 0, ''
    end
    local expires, updated = struct.unpack('>xI6I6', text)
    return updated, expires, ''
end

local function addDevices(recipient, reply)
    local remembered = {}
    local flat = call('HGETALL', K .. 'seen:' .. recipient)
    for n = 1, #flat, 2 do
        remembered[flat[n]] = rememberedOf(flat[n + 1])
    end
    local bindings = call('HGETALL', K .. 'aor:' .. recipient)
    local living = {}
    for n = 1, #bindings, 2 do
        local updated, ends, contact = bindingOf(bindings[n + 1])
        if ends > now then
            local device = remembered[bindings[n]] or {contact = contact, agent = '', since = '0'}
            living[bindings[n]] = true
            addDevice(reply, bindings[n], {contact = device.contact, agent = device.agent, since = device.since,
                                           seen = formatMs(updated), ends = formatMs(ends)}, '1')
        end
    end
    for name, device in pairs(remembered) do
        if not living[name] then
            device.since = '0'
            -- Without the binding that should be there nobody knows of a later moment.
            device.ends = tonumber(device.ends) > now and device.seen or device.ends
            addDevice(reply, name, device, '0')
        end
    end
end

return answerEach(1, function(recipient)
    local box = K .. 'box:' .. recipient
    local oldest, expires = momentsOf(call('ZRANGE', box, 0, 0)[1])
    local newest = momentsOf(call('ZRANGE', box, -1, -1)[1])
    local reply = {string.format('%d', call('ZCARD', box)), call('ZSCORE', K .. 'boxes', recipient) or '',
                   oldest, newest, expires}
    addDevices(recipient, reply)
    return reply
end)
