-- Topics that are paused or limited: `paused` and `limits` hold one field each for those, so a shard
-- without any pays one EXISTS.
--
-- Needs  outbox: eventsKept leads wake
-- Gives  kUnparkedPerCall topicOfLane topicOf limitsOf setSlots appendTopic headsOf wakeLanes unpark freeSlot
--#include lib/outbox.lua

local kUnparkedPerCall = 500  -- mailboxes made due per call, and the most that are passed over in vain

-- The topic of a lane's name, "pull:5:order".
local function topicOfLane(name)
    return sub(name, string.find(name, ':', string.find(name, ':', 1, true) + 1, true) + 1)
end

local function topicOf(record)
    return topicOfLane((laneOf(record)))
end

-- A topic's limits: slots that this shard has now (jobs leased at a time), microseconds between two
-- jobs of this shard, and slots of all shards together; 0 of all together, or 0 microseconds = no
-- limit of that kind.
local function limitsOf(topic)
    local text = call('HGET', K .. 'limits', topic)
    if not text then
        return 0, 0, 0
    end
    local slots, interval, totalSlots = string.match(text, '^(%S+) (%S+) (%S+)')
    return tonumber(slots), tonumber(interval), tonumber(totalSlots)
end

-- Sets how many slots of the topic this shard has.
local function setSlots(topic, slots)
    local otherLimits = string.match(call('HGET', K .. 'limits', topic), '^%S+ (.*)$')
    call('HSET', K .. 'limits', topic, string.format('%.0f', slots) .. ' ' .. otherLimits)
end

-- One entry of the event stream about a topic instead of jobs; `since` is that of its pause, `from` the limits
-- before these ones.
local function appendTopic(transition, topic, by, why, limits, since, from)
    local entry = {'XADD', K .. 'events', 'MAXLEN', '~', eventsKept(), '*',
                   't', transition, 'at', ARGV[1], 'topic', topic}
    for name, text in pairs({by = by, why = why, limits = limits, since = since, from = from}) do
        if text ~= '' then
            entry[#entry + 1] = name
            entry[#entry + 1] = text
        end
    end
    call(unpack(entry))
end

-- When the first job of a topic is due, by channel.
local function headsOf(topic)
    local heads = {}
    for _, channel in ipairs({'pull', 'sip', 'sms', 'webhook'}) do
        for p = 0, 9 do
            local lane = K .. 'due:' .. channel .. ':' .. p .. ':' .. topic
            local score = tonumber(call('ZRANGE', lane, 0, 0, 'WITHSCORES')[2])
            heads[channel] = score and math.min(score, heads[channel] or score) or heads[channel]
        end
    end
    return heads
end

-- Tells the watchers of every channel where the topic's lanes begin.
local function wakeLanes(topic)
    for channel, head in pairs(headsOf(topic)) do
        wake('lanes', head, channel .. ':0:' .. topic)
    end
end

-- Takes up to `max` of the mailboxes out of parked:* that wait for the topic: their recipients, and whether others may
-- be left. One that has been emptied meanwhile waits no more, and does not count.
local function popParked(topic, max)
    local recipients, passedOver, wanted = {}, 0, max
    while wanted > 0 and passedOver < kUnparkedPerCall do
        local popped, scores = call('ZPOPMIN', K .. 'parked:' .. topic, wanted), {}
        local candidates = {}
        for n = 1, #popped, 2 do
            candidates[#candidates + 1] = popped[n]
        end
        if #candidates > 0 then
            scores = call('ZMSCORE', K .. 'boxes', unpack(candidates))
        end
        for n, recipient in ipairs(candidates) do
            if scores[n] then
                recipients[#recipients + 1] = recipient
            else
                passedOver = passedOver + 1
            end
        end
        if #candidates < wanted then
            return recipients, false
        end
        wanted = max - #recipients
    end
    return recipients, true
end

-- Makes up to `max` of the mailboxes due that wait for the topic; true when others may be left.
local function unpark(topic, max)
    local recipients, mayBeMore = popParked(topic, max)
    if #recipients == 0 then
        return mayBeMore
    end
    local zadd = {'ZADD', K .. 'boxes', 'XX', 'LT'}
    for _, recipient in ipairs(recipients) do
        zadd[#zadd + 1] = now
        zadd[#zadd + 1] = recipient
    end
    local nearer = leads(K .. 'boxes', now)
    call(unpack(zadd))
    if nearer then
        wake('mailboxes', now)
    end
    return mayBeMore
end

local hasLimits  -- whether the shard has limits at all
local wokenTopics = {}  -- topics whose lanes were woken

-- Gives a free slot to the shard that has waited longest for one; false when none waits, or when no
-- slot is free. A daemon that receives the message tells that shard (core/redis/store/slot_exchange).
local function giveToWaitingShard(topic, slots, inUse)
    local key = K .. 'slots:' .. topic
    local shard, otherShards = string.match(call('HGET', key, 'wanted') or '', '^(%d+) ?(.*)$')
    if not shard then
        return false
    end
    call('PUBLISH', K .. 'wake', 'slots ' .. topic)
    if slots <= inUse then  -- all are still in use: the limit was lowered
        return false
    end
    call('HSET', key, 'wanted', otherShards)
    call('HDEL', key, 'asked')  -- until when this shard asks no other one
    call('HINCRBY', key, 'to:' .. shard, 1)
    setSlots(topic, slots - 1)
    return true
end

-- The lease of a job has ended: its slot goes to whatever waits for the limit of its topic.
local function freeSlot(id, topic)
    if hasLimits == nil then
        hasLimits = call('EXISTS', K .. 'limits') == 1
    end
    local slots, _, totalSlots = 0, 0, 0
    if hasLimits then
        slots, _, totalSlots = limitsOf(topic)
    end
    local busy = K .. 'busy:' .. topic
    local inUse = totalSlots > 0 and call('ZCARD', busy) or 0
    if totalSlots == 0 or call('ZREM', busy, id) == 0 or giveToWaitingShard(topic, slots, inUse - 1) then
        return
    end
    if inUse >= slots and not wokenTopics[topic] then
        wokenTopics[topic] = true
        wakeLanes(topic)
    end
    unpark(topic, 1)
end
