#!lua
--[[
recover -- bring back jobs that the store has lost and the journal has.

Transition   none -> scheduled, ready, held, dead or trashed        (docs/job-lifecycle.md, row "recover")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
then for each job:
    id
    state      "scheduled" (also of what was ready or leased), "held", "dead" or "trashed"
    score      of the lane, of `dead` or `trash`; "" for held
    past       attempts that are over; behind a space, how many of them count no longer
    arrival    its number in the mailbox, "" = in none
    next       the mailbox's next attempt, ms; "" = when the recipient registers
    error      last_error or the reason of death, "" = none
    origin     where restore puts it back, "" = nowhere
    newest     the highest arrival number that the journal knows of this shard
    record     docs/redis-schema.md, "The record"

Returns  for each job "ok" | "there" (the store has it: left alone) | "unreadable"

Touches  j:* index lanes due:* expiry held box:* boxes seq dead trash past forgotten error origin events wake

Why      What is in the store is newer than what the journal says of it, so it is never touched. The
         arrival numbers go on behind the highest one known, or a new message would come before old
         ones.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
--#include lib/job.lua
--#include lib/index.lua
guardAll()

local kEnded = {dead = 'dead', trashed = 'trash'}

local function note(set, id, text)
    if text ~= '' then
        call('HSET', K .. set, id, text)
    end
end

-- What is the same for all jobs of a lane or mailbox is done once: this runs for a million of them.
local prepared = {}
local function once(key, what)
    if not prepared[key] then
        prepared[key] = true
        what()
    end
end

local function enter(job, state, score, arrival, next)
    if kEnded[state] then
        call('ZADD', K .. kEnded[state], score, job.id)
    elseif state == 'held' then
        enterHeld(job)
        if arrival ~= '' then
            enterBox(job, next ~= '' and next or '+inf', arrival)
        end
    else
        once('lanes ' .. job.laneName, function() call('SADD', K .. 'lanes', job.laneName) end)
        enterLane(job, score)
    end
end

local recovered, rowsOf = {}, {}
local function recover(id, state, score, past, arrival, next, text, origin, newest, record)
    local key, field = addressOf(id)
    if call('HEXISTS', key, field) == 1 then
        return 'there'
    end
    local job = describe(id, record)
    if not job then
        return 'unreadable'
    end
    once(job.lane, function() call('ZCARD', job.lane) end)  -- these two refuse a key of a foreign type
    once(job.box, function() call('ZCARD', job.box) end)
    once('newest ' .. newest, function()
        if tonumber(newest) > tonumber(call('GET', K .. 'seq') or 0) then
            call('SET', K .. 'seq', newest)
        end
    end)
    call('HSET', key, field, record)
    index({id}, {record})
    local over, forgotten = string.match(past, '^(%d+) ?(%d*)$')
    note('past', id, over ~= '0' and over or '')
    note('forgotten', id, forgotten)
    note('error', id, text)
    note('origin', id, origin)
    enter(job, state, score, arrival, next)
    recovered[#recovered + 1] = id
    -- As rowOf() would find it, for a third of the work; of a held one the mailbox says more.
    rowsOf[id] = state ~= 'held' and {state, score, past, '', '', text, origin, ''} or nil
    return 'ok'
end

local replies = each(3, 10, recover)
local groups = byHash(recovered)
append('recover', groups, nil, nil, function()
    local list = {}
    for _, group in ipairs(groups) do
        for _, field in ipairs(group.fields) do
            local id = group.shared .. field
            list[#list + 1] = rowsOf[id] or rowOf(id, false)
        end
    end
    return {'row', cmsgpack.pack(list)}
end)
return replies
