-- What a script cut short leaves behind: a job in no set or in several, an id without a record, an entry
-- that is missing beside a place. docs/torn-file.md has the table, script by script.
--
-- Needs  index: isIndexed appendIndexMembers; job: kSets kStates jobOf
-- Gives  placesOf gapsOf faultOf fingerprintOf
--#include lib/index.lua
--#include lib/job.lua

-- Of the sets of all jobs; empty ones are not queried job by job. To be set to nil after a write.
local cachedSizes

-- All places of a job, a list of {state, set, score}, in the order in which find() prefers them:
-- delivering a job twice is better than losing it.
local function placesOf(job)
    cachedSizes = cachedSizes or guard({lease = 'zset', held = 'zset', dead = 'zset', trash = 'zset', done = 'zset',
                                        expiry = 'zset', boxes = 'zset', index = 'zset', lanes = 'set',
                                        past = 'hash', origin = 'hash'})
    local places = {}
    local function addPlace(state, set)
        local score = call('ZSCORE', set, job.id)
        if score then
            places[#places + 1] = {state = state, set = set, score = score}
        end
    end
    addPlace('scheduled', job.lane)
    for _, state in ipairs(kStates) do
        if cachedSizes[kSets[state]] > 0 then
            addPlace(state, K .. kSets[state])
        end
    end
    return places
end

local function lacksIndex(job, record)
    local members = {}
    if isIndexed(record) then
        appendIndexMembers(job.id, record, members)
    end
    for _, score in ipairs(#members > 0 and call('ZMSCORE', K .. 'index', unpack(members)) or {}) do
        if not score then
            return true
        end
    end
    return false
end

-- Which entries of a job, besides its one place, are missing or superfluous.
local function gapsOf(job, record, place)
    local state = place.state
    local mayBeInBox = state == 'held' or state == 'leased'
    return {
        expiry = state == 'scheduled' and job.expires > 0 and not call('ZSCORE', K .. 'expiry', job.id),
        lane = state == 'scheduled' and call('SISMEMBER', K .. 'lanes', job.laneName) == 0,
        box = job.arrival and not mayBeInBox,
        boxes = job.arrival and mayBeInBox and not call('ZSCORE', K .. 'boxes', job.recipient),
        index = lacksIndex(job, record),
    }
end

-- What is wrong with the id: "" | "lost" (a record in no set) | "doubled" (in several) | "stray" (no
-- record) | "partial" (an entry beside its place is missing, or is too many) | "unreadable"; then the
-- job, its places, its gaps and its record, as far as they were looked at.
local function faultOf(id, record)
    if not record then
        return 'stray'
    end
    local job = jobOf(id, record)
    if not job then
        return 'unreadable'
    end
    job.arrival = job.recipient ~= '' and call('ZSCORE', job.box, id)
    local places = placesOf(job)
    if #places ~= 1 then
        return #places == 0 and 'lost' or 'doubled', job, places, nil, record
    end
    local gaps = gapsOf(job, record, places[1])
    for _, gap in pairs(gaps) do
        if gap then
            return 'partial', job, places, gaps, record
        end
    end
    return ''
end

-- A digest of everything that was checked: a repair must find the same.
local function fingerprintOf(job, places, gaps, record)
    local parts = {record, job.arrival or '', call('HGET', K .. 'past', job.id) or '',
                  call('HGET', K .. 'origin', job.id) or ''}
    for _, place in ipairs(places) do
        parts[#parts + 1] = place.set .. ' ' .. place.score
    end
    for _, gap in ipairs({'expiry', 'lane', 'box', 'boxes', 'index'}) do
        parts[#parts + 1] = gaps and gaps[gap] and gap or ''
    end
    return redis.sha1hex(concat(parts, '\n'))
end
