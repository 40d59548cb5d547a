#!lua flags=allow-oom
--[[
slots -- what a shard has of a topic's concurrency limit, and who wants some of it.

Transition   none: it only looks, and notes who asks for a slot        (docs/job-lifecycle.md, "Topics")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    topic
    asks       "1" = this shard has asked the others for a slot, and got none; else "0"
    n          how many other shards have, which follow
    asking...  their numbers

Returns  for each request a flat list: generation ("0" = none), this shard's slots, jobs leased, "1" if
         something of the topic is due here, interval, concurrency, jobs, per (these four as limit takes
         them; empty: the topic is not limited), then for each shard that slots came from or went to: its
         number, how many came from it, and how many went to it, since the generation began

Touches  slots:*; reads limits busy:* due:* parked:* boxes

Why      Who asked in vain need not ask again before a slot is free: until then, or for kAskInterval, the
         shard's next moment is that of its own leases. And a shard that has jobs leased knows who gets
         the next slot that is free, in the order in which they have asked.
]]
--#include lib/topic.lua
local kAskInterval = 1000  -- ms
local kMailboxesChecked = 100  -- the first of those that wait for a topic

-- Is a job of the topic due, or does a mailbox wait for it? One that has been emptied since does not.
local function isWaiting(topic)
    local recipients = call('ZRANGE', K .. 'parked:' .. topic, 0, kMailboxesChecked - 1)
    for _, score in ipairs(#recipients > 0 and call('ZMSCORE', K .. 'boxes', unpack(recipients)) or {}) do
        if score then
            return true
        end
    end
    for _, head in pairs(headsOf(topic)) do
        if math.floor(head) <= now then
            return true
        end
    end
    return false
end

-- Puts those who ask behind those who wait already.
local function queue(key, asking)
    local waiting = call('HGET', key, 'wanted') or ''
    for _, shard in ipairs(asking) do
        if not string.find(' ' .. waiting .. ' ', ' ' .. shard .. ' ', 1, true) then
            waiting = waiting == '' and shard or waiting .. ' ' .. shard
        end
    end
    call('HSET', key, 'wanted', waiting)
end

local function noteAndReport(topic, asks, asking)
    guard({['slots:' .. topic] = 'hash', boxes = 'zset'})
    local key, busy = K .. 'slots:' .. topic, call('ZCARD', K .. 'busy:' .. topic)
    local text = call('HGET', K .. 'limits', topic)
    local interval, concurrency, jobs, per = string.match(text or '', '^%S+ (%S+) (%S+) (%S+) (%S+)$')
    local ownSlots, _, totalSlots = limitsOf(topic)
    if totalSlots > 0 and asks == '1' then
        -- The field has when it may ask again.
        call('HSET', key, 'asked', string.format('%.0f', now + kAskInterval))
    end
    if totalSlots > 0 and #asking > 0 and busy > 0 then
        queue(key, asking)
    end
    local reply = {call('HGET', key, 'generation') or '0', tostring(ownSlots), tostring(busy),
                   isWaiting(topic) and '1' or '0', interval or '', concurrency or '', jobs or '', per or ''}
    local fields, received, sent = call('HGETALL', key), {}, {}
    for n = 1, #fields, 2 do
        local direction, shard = string.match(fields[n], '^(%l+):(%d+)$')
        if direction then
            received[shard], sent[shard] = received[shard] or '0', sent[shard] or '0'
            local counts = direction == 'from' and received or sent
            counts[shard] = fields[n + 1]
        end
    end
    for shard, count in pairs(received) do
        for _, cell in ipairs({shard, count, sent[shard]}) do
            reply[#reply + 1] = cell
        end
    end
    return reply
end

return answerLists(3, 1, function(first, last, topic, asks)
    return noteAndReport(topic, asks, {unpack(ARGV, first, last)})
end)
