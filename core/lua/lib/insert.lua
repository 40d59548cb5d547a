-- A job that is pushed, beside what is there already. `options` is what its caller asks for, a packed map:
--   replace    true: it takes the place of a job of its id, whatever state that is in, unless it repeats its push
--   renew      true: it takes the place of one that has ended
--   once, ms   its once key, and for how long that is remembered
--   by, why    the operator who pushes it, and the reason
-- and of a message, room (true: its mailbox has limits), limit, bytes, total, totalBytes and makesRoom, as
-- lib/mailbox_limits.lua says. What is missing is not asked for.
--
-- Needs  finished: finishedAnswer forgetFinished; index: index unindex; job: kEnded find countAttempt
--        leaveSet leaveMailbox moveEach; once: recallOnce rememberOnce; outbox: groupByActor appendGroups
-- Gives  jobToReplace removeReplaced storeRecord pushEach
--#include lib/new_jobs.lua
--#include lib/index.lua
--#include lib/finished.lua
--#include lib/once.lua
--#include lib/job.lua

local kTimesStart, kTimesEnd = 3, 12  -- the bytes of a record that are its ttr and its expires

-- Whether a push that replaces and brings the same content is taken for a repetition of the one that has stored the
-- job. One that is leased, or that a device has, is left to whoever has it: replaced it would be done twice, and of a
-- repetition `expires` may be another.
local function isRepetition(current, oldRecord, record)
    return not kEnded[current.state] and
               (current.state == 'leased' or
                   (current.state == 'held' and call('HEXISTS', K .. 'taken', current.id) == 1) or
                   sub(oldRecord, kTimesStart, kTimesEnd) == sub(record, kTimesStart, kTimesEnd))
end

-- The job whose place the new one takes; or nil and the reply, if nothing is stored; or nothing.
local function jobToReplace(id, record, options)
    local firstId = options.once ~= '' and recallOnce({options.once}, options.ms)[1]
    if firstId then
        return nil, 'same ' .. firstId
    end
    local key, field = addressOf(id)
    local oldRecord = call('HGET', key, field)
    if not oldRecord then
        return nil, not options.replace and finishedAnswer(id, record) or nil
    end
    local current, refusal
    if options.renew or options.replace then
        current, refusal = find(id)
    end
    if options.renew and current and kEnded[current.state] then
        return current
    end
    if sub(oldRecord, kContentStart) == sub(record, kContentStart) and
        not (options.replace and current and not isRepetition(current, oldRecord, record)) then
        return nil, 'same ' .. id
    end
    if not options.replace then
        return nil, 'conflict'
    end
    return current, refusal
end

-- Removes the job that is replaced, which may be nil, from its sets.
local function removeReplaced(job, options, old)
    if not old then
        return
    end
    local begun = old.failedAttempts + (old.state == 'leased' and 1 or 0)
    unindex({job.id}, {call('HGET', job.key, job.field)})
    countAttempt(old)
    if options.renew and kEnded[old.state] then
        call('HDEL', K .. 'past', job.id)
        call('HDEL', K .. 'forgotten', job.id)
    elseif begun > 0 then
        -- Their number goes on, as it fences the leases, but they were none of the new job's.
        call('HSET', K .. 'forgotten', job.id, string.format('%d', begun))
    end
    leaveSet(old)
    leaveMailbox(old)
    call('HDEL', K .. 'error', job.id)
    call('HDEL', K .. 'origin', job.id)
    call('HDEL', K .. 'taken', job.id)
end

-- Writes the record of a job that has its place already, then the once key: otherwise a script cut
-- short would leave a once key of a job that does not exist.
local function storeRecord(job, record, options)
    forgetFinished(job.id, record)
    index({job.id}, {record})
    call('HSET', job.key, job.field, record)
    if options.once ~= '' then
        rememberOnce({options.once, job.id}, options.ms)
    end
end

-- Pushes job by job, so that a refused one does not affect the others. `pushOne` returns the
-- status, and the operator and the reason if there are any.
local function pushEach(stride, pushOne)
    local replies = moveEach(stride, function(id, ...)
        local status, by, why = pushOne(id, ...)
        if status == 'ok' then
            groupByActor(id, by, why)
        end
        return status
    end)
    appendGroups('push')
    return replies
end
