#!lua
--[[
repair -- put right what a script cut short has left of a job.

Transition   lost -> scheduled, ready, held, dead, trashed or done        (docs/job-lifecycle.md, row "repair")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    fingerprint   of what was found wrong with it (faults.lua)
    state      where the journal last saw it: "scheduled", "held", "dead", "trashed" or "done"; "" = unknown
    score      of its lane, of `dead` or `trash`; "" = now
    arrival    its number in the mailbox, "" = in none
    next       the mailbox's next attempt, ms; "" = now
    origin     where restore or release puts it back, "" = as it is here
    by         who repairs
    why        and the reason, behind what was wrong; "" = none

Returns  for each job "sound" (nothing is wrong with it, any more) | "lost" | "doubled" | "partial" (what was
         wrong, and is right now) | "moved" (wrong in another way than it was found: left to the next sweep) |
         "stray" (no record: nothing done) | "unreadable" (left alone)

Touches  lease due:* held held_bytes expiry dead trash done boxes box:* index lanes origin events wake; reads j:* past taken

Why      It decides by what there is now, in one step: a job that has moved since somebody looked is sound, or
         left alone, because what the journal says is about the job that was found.
         What is left of its place comes first, then the journal, then its record: it is due now, delivered
         rather than lost. Attempts stay as they are. An id without a record is no job: clear.lua.
]]
--#include lib/faults.lua
--#include lib/held_bytes.lua
checkKeyTypes()

-- `target` as placeByJournal() and lostPlaceOf() give it.
local function putBack(job, target)
    local state, score, arrival, next, previousOrigin = unpack(target)
    local isKnown = state == 'held' or tonumber(score)  -- one that is held needs none
    enterPlace(job, state, isKnown and score or ARGV[1], arrival, next, previousOrigin or '')
end

-- Where the job goes back to, by the journal if it knows.
local function placeByJournal(job, state, score, arrival, next, origin)
    if job.arrival or (state ~= 'scheduled' and state ~= 'held' and not kEnded[state]) then
        return lostPlaceOf(job)
    end
    local previousOrigin = origin ~= '' and origin or call('HGET', K .. 'origin', job.id)
                  or kEnded[state] and 'scheduled ' .. ARGV[1] .. ' - -'
    return {state, score, arrival ~= '' and arrival or '-', next ~= '' and next or '-', previousOrigin}
end

local function repairEntries(job, place, gaps, record)
    if gaps.box then
        leaveMailbox(job)
    end
    if gaps.boxes then
        setNextAttempt(job.recipient, ARGV[1])
    end
    if gaps.lane then
        call('SADD', K .. 'lanes', job.laneName)
    end
    if gaps.expiry then
        enterLane(job, place.score)
    end
    if gaps.index then
        index({job.id}, {record})
    end
end

local kReasons = {lost = 'it was in no set', doubled = 'it was in several sets',
                  partial = 'an entry beside its place was wrong'}
local replies = moveEach(9, function(id, fingerprint, state, score, arrival, next, origin, by, why)
    local key, field = addressOf(id)
    local fault, job, places, gaps, record = faultOf(id, call('HGET', key, field))
    if not places then
        return fault == '' and 'sound' or fault
    end
    if fingerprintOf(job, places, gaps, record) ~= fingerprint then
        return 'moved'
    end
    if fault == 'lost' then
        putBack(job, placeByJournal(job, state, score, arrival, next, origin))
    elseif fault == 'doubled' then
        for n = 2, #places do
            call('ZREM', places[n].set, id)
            if places[n].state == 'held' then
                addHeldBytes(-job.bytes)
            end
        end
    end
    if fault ~= 'partial' then
        cachedSizes = nil
        places = placesOf(job)
        job.arrival = job.recipient ~= '' and call('ZSCORE', job.box, id)
        gaps = gapsOf(job, record, places[1])
    end
    repairEntries(job, places[1], gaps, record)
    groupByActor(id, by, kReasons[fault] .. (why ~= '' and ': ' .. why or ''))
    return fault
end)
appendGroups('repair')
return replies
