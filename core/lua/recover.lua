#!lua
--[[
recover -- bring back jobs that the store has lost and the journal has.

Transition   none -> scheduled, ready, leased, held, dead or trashed        (docs/job-lifecycle.md, row "recover")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries
then for each job:
    id
    state      "scheduled" (also of what was ready), "leased" (when the lease still stands), "held",
               "dead" or "trashed"
    score      of the lane, of `dead` or `trash`; of leased when the lease ends; "" for held
    past       attempts that are over; behind a space, how many of them count no longer
    arrival    its number in the mailbox, "" = in none
    next       the mailbox's next attempt, ms; "" = when the recipient registers
    error      last_error or the reason of death, "" = none
    origin     where restore puts it back, "" = nowhere
    newest     the highest arrival number that the journal knows of this shard
    known      "1" = the journal has the job just so, "" = it is told how it stands now
    record     docs/redis-schema.md, "The record"
    by         an operator who asks for it, "" = the daemon itself
    why        the reason, "" = none

Returns  for each job "ok" | "there" (the store has it: left alone) | "unreadable"

Touches  j:* index lanes due:* expiry lease held box:* boxes seq dead trash past forgotten error origin events wake

Why      A lease that stands is kept with the attempt's number, or what a worker is at would be given to
         another one, and the worker's own word refused. What is in the store is newer than what the journal says of it, so it is never touched. The
         arrival numbers go on behind the highest one known, or a new message would come before old
         ones.
]]
--#include lib/base.lua
--#include lib/outbox.lua
--#include lib/topic.lua
--#include lib/job.lua
--#include lib/index.lua
--#include lib/comeback.lua
guardAll()

local function recover(id, state, score, past, arrival, next, text, origin, newest, known, record, by, why)
    local key, field = addressOf(id)
    if call('HEXISTS', key, field) == 1 then
        return 'there'
    end
    local job = describe(id, record)
    if not job then
        return 'unreadable'
    end
    guardPlaces(job)
    goOnBehind(newest)
    comeBack(job, record, state, score, past, arrival, next, text, origin)
    cameBack(id, state, score, known, by, why)
    return 'ok'
end

local replies = each(3, 13, recover)
tellOfThem('recover')
return replies
