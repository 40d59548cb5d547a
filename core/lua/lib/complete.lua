-- How a job ends for good.
--
-- Needs  finished: finishedEntriesOf rememberFinished; index: unindex; job: leaveSet leaveMailbox; outbox: appendEvent
-- Gives  forget complete appendFinishEvent
--#include lib/index.lua
--#include lib/finished.lua
--#include lib/job.lua

-- Removes the record and the notes of a job; the caller takes it from its set.
local function forget(job)
    unindex({job.id}, {call('HGET', job.key, job.field)})
    call('HDEL', job.key, job.field)
    for _, hash in ipairs({'past', 'forgotten', 'error', 'origin', 'taken'}) do
        call('HDEL', K .. hash, job.id)
    end
end

-- Ends a message that goes to every device and that some have. `keep` is "1" or "0", as for finish.
local function complete(job, keep)
    local entries = finishedEntriesOf({job.id}, {call('HGET', job.key, job.field)})
    leaveSet(job)
    leaveMailbox(job)
    rememberFinished(entries)
    if keep == '1' then
        call('ZADD', K .. 'done', ARGV[1], job.id)
        call('HSET', K .. 'origin', job.id, 'scheduled ' .. ARGV[1] .. ' - -')
    else
        forget(job)
    end
end

local function appendFinishEvent(ids)
    appendEvent('finish', groupByHash(ids), nil, nil, function() return {'from', 'held'} end)
end
