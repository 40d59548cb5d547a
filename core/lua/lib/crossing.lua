-- Marks of the jobs that are between Redis and the journal's database, in the hash `crossing`: 'out <version>' and
-- 'in <version>' are evidence of what a script has done, and stay until the row in SQL says so, too;
-- 'push <until> <token>' reserves an id while a push of it looks at both sides.
--
-- Gives  guardCrossing holds markOf setMark
--#include lib/base.lua

local function guardCrossing()
    guard({crossing = 'hash'})
end

-- Redis' own, ms: `now` is when the caller believed to ask, which may be long ago.
local clockMs
local function clock()
    if not clockMs then
        local its = call('TIME')
        clockMs = its[1] * 1000 + math.floor(its[2] / 1000)
    end
    return clockMs
end

local kClaimLifetime = 10000  -- ms; kClaimLifetime of core/cold/cold_jobs.h

-- Whether a row that was claimed then may still be moved by whoever has claimed it.
local function holds(version)
    return clock() <= tonumber(version) + kClaimLifetime
end

-- The mark of an id, its kind and its version; nothing when there is none, or when it reserves and its time is over.
local function markOf(id)
    local mark = call('HGET', K .. 'crossing', id)
    local kind, version = string.match(mark or '', '^(%l+) (%d+)')
    if not mark or (kind == 'push' and tonumber(version) < clock()) then
        return nil
    end
    return mark, kind, version
end

local function setMark(id, mark)
    call('HSET', K .. 'crossing', id, mark)
end
