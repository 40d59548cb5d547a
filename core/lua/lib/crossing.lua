-- Marks of the jobs that are between Redis and the journal's database, in the hash `crossing`: 'out <version>' and
-- 'in <version>' are evidence of what a script has done, and stay until the row in SQL says so, too;
-- 'push <until> <token>' reserves an id while a push of it looks at both sides. A version is the time of
-- the row's insert or newest claim, ms.
--
-- Gives  guardCrossing isClaimValid markOf setMark
--#include lib/base.lua

local function guardCrossing()
    guard({crossing = 'hash'})
end

-- The time by Redis' clock, ms: `now` is the time of the caller's request, which may be long ago.
local serverClockMs
local function serverClock()
    if not serverClockMs then
        local time = call('TIME')
        serverClockMs = time[1] * 1000 + math.floor(time[2] / 1000)
    end
    return serverClockMs
end

local kClaimLifetime = 10000  -- ms; kClaimLifetime of core/cold/cold_jobs.h

-- Whether a row that was claimed at `version` may still be moved by its claimer.
local function isClaimValid(version)
    return serverClock() <= tonumber(version) + kClaimLifetime
end

-- The mark of an id, its kind and its version (until when, if it is a reservation); nothing when
-- there is none, or when it is a reservation that has lapsed.
local function markOf(id)
    local mark = call('HGET', K .. 'crossing', id)
    local kind, version = string.match(mark or '', '^(%l+) (%d+)')
    if not mark or (kind == 'push' and tonumber(version) < serverClock()) then
        return nil
    end
    return mark, kind, version
end

local function setMark(id, mark)
    call('HSET', K .. 'crossing', id, mark)
end
