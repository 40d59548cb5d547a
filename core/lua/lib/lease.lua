-- Giving out jobs: what all scripts that claim share.
--
-- Needs  topic_limits: quotas quotaOf
-- Gives  inParts termsOf fillFailedAttempts roomOf spendRate useQuota
--#include lib/topic_limits.lua

-- What Lua passes to a command at once; one call may give out more.
local kValuesPerCommand = 2000

local function inParts(values, write)
    for from = 1, #values, kValuesPerCommand do
        write(unpack(values, from, math.min(from + kValuesPerCommand - 1, #values)))
    end
end

-- The lease terms in a record's first twelve bytes (format, flags, ttr, expires). Most jobs have
-- the same, so they are cached.
local termsByHead = {}
local function termsOf(record)
    local head = sub(record, 1, 12)
    local terms = termsByHead[head]
    if not terms then
        local ttr, expires = timesOf(record)
        terms = {
            unexpired = ttr and (expires == 0 or expires > now),
            hasExpiry = ttr and expires > 0,
            deadline = ttr and string.format('%.0f', now + ttr),
        }
        termsByHead[head] = terms
    end
    return terms
end

local anyFailed  -- whether the shard has jobs that have failed; claims change nothing about it

-- Fills the failed attempts into `rows`: id, due score, failed attempts, record of each job.
local function fillFailedAttempts(rows)
    if #rows == 0 then
        return
    end
    if anyFailed == nil then
        anyFailed = call('HLEN', K .. 'past') > 0
    end
    if not anyFailed then
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

local kSlotsPerSweep = 100  -- ids examined per call

-- Frees the slots of leases that no script has ended; a lease that was touched counts until its new deadline.
local function freeEndedSlots(topic)
    local busy = K .. 'busy:' .. topic
    local ids = call('ZRANGEBYSCORE', busy, '-inf', ARGV[1], 'LIMIT', 0, kSlotsPerSweep)
    local deadlines = #ids > 0 and call('ZMSCORE', K .. 'lease', unpack(ids)) or {}
    for n, id in ipairs(ids) do
        if not deadlines[n] then
            call('ZREM', busy, id)
        elseif tonumber(deadlines[n]) > now then
            call('ZADD', busy, deadlines[n], id)
        end
    end
end

-- The number of jobs of a topic that may be given out. When its concurrency limit is reached, first frees the slots
-- whose leases have ended, once in a call.
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

-- Uses up the topic's rate by `count` jobs that are given out.
local function spendRate(topic, count)
    local quota = quotaOf(topic)
    quota.room = quota.room - count
    if quota.interval > 0 then
        quota.rateBusyUntil = quota.rateBusyUntil + count * quota.interval
        call('HSET', K .. 'rate', topic, string.format('%.3f', quota.rateBusyUntil))
    end
end

-- Counts jobs that are given out against the topic's limits. `leases`: deadline, id, deadline, id ...
local function useQuota(topic, leases)
    if quotaOf(topic).concurrency > 0 then
        inParts(leases, function(...) call('ZADD', K .. 'busy:' .. topic, ...) end)
    end
    spendRate(topic, #leases / 2)
end
