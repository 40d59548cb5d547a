-- Giving out jobs: what claim and claim_mailbox share.
--
-- Needs  topic_limits: quotas quotaOf
-- Gives  termsOf notePast roomOf useQuota
--#include lib/topic_limits.lua

-- What a record's first twelve bytes (format, ttr, expires) say about leasing its job now. Most
-- jobs have the same, so each kind is read once.
local terms = {}
local function termsOf(record)
    local head = sub(record, 1, 12)
    local its = terms[head]
    if not its then
        local ttr, expires = timesOf(record)
        its = {
            live = ttr and (expires == 0 or expires > now),
            timed = ttr and expires > 0,
            deadline = ttr and string.format('%.0f', now + ttr),
        }
        terms[head] = its
    end
    return its
end

-- The failed attempts into `rows`: id, due score, failed attempts, record of each job.
local function notePast(rows)
    if #rows == 0 or call('HLEN', K .. 'past') == 0 then
        return
    end
    local ids = {}
    for n = 1, #rows, 4 do
        ids[#ids + 1] = rows[n]
    end
    for n, failedAttempts in ipairs(attemptsOf(ids)) do
        rows[4 * n - 1] = failedAttempts
    end
end

local kSwept = 100  -- ids looked at in one call

-- Frees the slots of leases that no script has ended; a lease that was touched counts until its new deadline.
local function freeEndedSlots(topic)
    local busy = K .. 'busy:' .. topic
    local ids = call('ZRANGEBYSCORE', busy, '-inf', ARGV[1], 'LIMIT', 0, kSwept)
    local deadlines = #ids > 0 and call('ZMSCORE', K .. 'lease', unpack(ids)) or {}
    for n, id in ipairs(ids) do
        if not deadlines[n] then
            call('ZREM', busy, id)
        elseif tonumber(deadlines[n]) > now then
            call('ZADD', busy, deadlines[n], id)
        end
    end
end

-- How many jobs of a topic may be given out.
local function roomOf(topic)
    local quota = quotaOf(topic)
    if quota.full and not quota.swept then
        freeEndedSlots(topic)
        quotas[topic] = nil
        quota = quotaOf(topic)
        quota.swept = true
    end
    return quota.room
end

-- Counts jobs that are given out against the topic's limits. `scored`: deadline, id, deadline, id ...
local function useQuota(topic, scored)
    local quota, count = quotaOf(topic), #scored / 2
    quota.room = quota.room - count
    if quota.concurrency > 0 then
        call('ZADD', K .. 'busy:' .. topic, unpack(scored))
    end
    if quota.interval > 0 then
        quota.at = quota.at + count * quota.interval
        call('HSET', K .. 'rate', topic, string.format('%.3f', quota.at))
    end
end
