#!lua flags=allow-oom
--[[
journal_shift_arrivals -- messages that came into an emptied shard go behind those that will come back.

Transition   none; places in mailboxes        (docs/journal.md, "Recovery")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    newest   the highest arrival number that the journal knows of this shard

Returns  for each request how many messages were moved

Touches  box:* seq; reads boxes

Why      Their numbers began at 1 again. Only programs without a daemon can have written since, and
         only until a daemon looked: so it is done in one step, and once, because from then on the
         numbers are higher than any in the journal.
]]
--#include lib/base.lua
guard({boxes = 'zset', seq = 'string'})

return answerEach(1, function(newest)
    local last = tonumber(call('GET', K .. 'seq') or 0)
    if last >= tonumber(newest) then
        return 0
    end
    local moved = 0
    for _, recipient in ipairs(call('ZRANGE', K .. 'boxes', 0, -1)) do
        local box = K .. 'box:' .. recipient
        for _, id in ipairs(call('ZRANGE', box, 0, -1)) do
            call('ZINCRBY', box, newest, id)
            moved = moved + 1
        end
    end
    call('SET', K .. 'seq', string.format('%.0f', last + tonumber(newest)))
    return moved
end)
