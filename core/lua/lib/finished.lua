-- The ids that callers chose themselves, of jobs that were finished lately: a push that is repeated because
-- its answer was lost must not bring the job back. The hash `finished:<generation>` has the id and a
-- digest of the content; a look goes to the current one and the one before it, so an id is remembered
-- for kFinishedIdLifetime at least and twice that at most.
--
-- Gives  finishedEntriesOf rememberFinished finishedAnswer anyFinished forgetFinished
--#include lib/base.lua

local kFinishedIdLifetime = 900000  -- ms; kFinishedIdLifetime of core/queue/job_store.h
local kMostFinishedIds = 1000000  -- ids of a generation, some 100 MB; more are not remembered

local function finishedHash(generationsBack)
    return K .. 'finished:' .. string.format('%.0f', math.floor(now / kFinishedIdLifetime) - generationsBack)
end

-- Bit 2 of a record's flags: its id is the caller's own and is to be remembered.
local function hasOwnId(record)
    return string.byte(record) == 1 and math.floor(string.byte(record, 2) / 4) % 2 == 1
end

local function digestOf(record)
    return sub(redis.sha1hex(sub(record, kContentStart)), 1, 16)
end

-- What rememberFinished() stores for these jobs: id, digest, id, digest ... Only reads, and fails
-- on a key of a foreign type.
local function finishedEntriesOf(ids, records)
    local entries = {}
    if #ids == 0 or call('HLEN', finishedHash(0)) >= kMostFinishedIds then
        return entries
    end
    for n, id in ipairs(ids) do
        if records[n] and hasOwnId(records[n]) then
            entries[#entries + 1] = id
            entries[#entries + 1] = digestOf(records[n])
        end
    end
    return entries
end

local function rememberFinished(entries)
    if #entries > 0 then
        call('HSET', finishedHash(0), unpack(entries))
        call('PEXPIRE', finishedHash(0), string.format('%.0f', 2 * kFinishedIdLifetime), 'NX')
    end
end

-- The reply to a repeated push of an id without a job; nothing when the id is new.
local function finishedAnswer(id, record)
    if not hasOwnId(record) then
        return nil
    end
    local digest = call('HGET', finishedHash(0), id) or call('HGET', finishedHash(1), id)
    if not digest then
        return nil
    end
    return digest == digestOf(record) and 'same ' .. id or 'used'
end

-- Whether one of these ids was finished lately; cheap when none was.
local function anyFinished(ids, records)
    if call('EXISTS', finishedHash(0), finishedHash(1)) == 0 then
        return false
    end
    for n, id in ipairs(ids) do
        if finishedAnswer(id, records[n]) then
            return true
        end
    end
    return false
end

-- The id is in use again.
local function forgetFinished(id, record)
    if hasOwnId(record) then
        call('HDEL', finishedHash(0), id)
        call('HDEL', finishedHash(1), id)
    end
end
