-- Puts a job back where the journal has it: what recover, replay and import share. They are told its place by
--   state      "scheduled" (also of what is ready), "leased" (while the lease stands), "held", "dead", "trashed" or
--              "done" (kept)
--   score      of the lane, of the set of an ended state, or when the lease ends; "" for held
--   failed     attempts that are over
--   offset     how many of them count no longer
--   arrival    its number in the mailbox, "new" = behind all others, "" = in none
--   next       the mailbox's next attempt, ms; "" = when the recipient registers
--   error      last_error or the reason of death, "" = none
--   origin     where restore puts it back, "" = nowhere
--
-- Needs  index: index; job: kEnded enterLane enterHeld enterBox; outbox: setScore; topic: topicOfLane
--        limitsOf
-- Gives  insertRestored raiseArrivalNumber checkPlaceTypes
--#include lib/index.lua
--#include lib/job.lua

local function setUnlessEmpty(hash, id, text)
    if text ~= '' then
        call('HSET', K .. hash, id, text)
    end
end

-- Work that is the same for all jobs of a lane or mailbox is done once, because there may be a
-- million jobs.
local handledKeys = {}
local function doOnce(key, work)
    if not handledKeys[key] then
        handledKeys[key] = true
        work()
    end
end

local function enterLease(job, ends)
    setScore(K .. 'lease', 'leases', ends, job.id)
    local topic = topicOfLane(job.laneName)
    local _, _, totalSlots = limitsOf(topic)
    if totalSlots > 0 then
        call('ZADD', K .. 'busy:' .. topic, ends, job.id)
    end
end

local function enter(job, state, score, arrival, nextAttempt)
    if kEnded[state] then
        call('ZADD', K .. kEnded[state], score, job.id)
    elseif state == 'held' or state == 'leased' then
        if arrival ~= '' then
            enterBox(job, nextAttempt ~= '' and nextAttempt or '+inf', arrival ~= 'new' and arrival or nil)
        end
        if state == 'leased' then
            enterLease(job, score)
        else
            enterHeld(job)  -- last, as in hold.lua
        end
    else
        enterLane(job, score)
    end
end

-- Stores the job as the journal has it; the store has nothing of it.
local function insertRestored(job, record, state, score, failedAttempts, attemptOffset, arrival, nextAttempt, lastError,
                              origin)
    call('HSET', job.key, job.field, record)
    index({job.id}, {record})
    setUnlessEmpty('past', job.id, failedAttempts ~= '0' and failedAttempts or '')
    setUnlessEmpty('forgotten', job.id, attemptOffset ~= '0' and attemptOffset or '')
    setUnlessEmpty('error', job.id, lastError)
    setUnlessEmpty('origin', job.id, origin)
    enter(job, state, score, arrival, nextAttempt)
end

-- Makes new arrival numbers higher than the highest that the journal knows.
local function raiseArrivalNumber(highest)
    doOnce('newest ' .. highest, function()
        if tonumber(highest) > tonumber(call('GET', K .. 'seq') or 0) then
            call('SET', K .. 'seq', highest)
        end
    end)
end

-- Refuses keys of a foreign type before the first write.
local function checkPlaceTypes(job)
    doOnce(job.lane, function() call('ZCARD', job.lane) end)
    doOnce(job.box, function() call('ZCARD', job.box) end)
end
