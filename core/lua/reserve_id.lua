#!lua
--[[
reserve_id -- an id of a caller's own is this push's while it looks at Redis and at the journal's database.

Transition   none        (docs/decisions/0042-cold-jobs.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    mark       'push <until ms> <token>'
    record     docs/redis-schema.md, "The record"; "" = whether it was finished lately does not matter

Returns  for each job "ok" (reserved; Redis has no such job) | "there" (reserved; Redis has it) | "same <id>" and "used" (it
         was finished lately) | "crossing" (it is between the two, or another push has it)

Touches  crossing; reads j:* finished:*

Why      An id must not be stored on both sides. Nothing moves it from one to the other while it is reserved.
]]
--#include lib/finished.lua
--#include lib/crossing.lua
guardCrossing()

return answerEach(3, function(id, mark, record)
    if markOf(id) then
        return 'crossing'
    end
    local key, field = addressOf(id)
    local exists = call('HEXISTS', key, field) == 1
    local finishedReply = not exists and record ~= '' and finishedAnswer(id, record)
    if finishedReply then
        return finishedReply
    end
    setMark(id, mark)
    return exists and 'there' or 'ok'
end)
