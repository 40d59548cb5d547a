#!lua flags=no-writes
--[[
journal_rows -- everything about the jobs of some hashes, for a journal that begins anew.

Transition   none; it only looks        (docs/journal.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    front    what the ids of one hash have in common: they live in the hash `j:<front>`

Returns  for each request a list: id, state, score, failed attempts and behind them, unless 0, the attempt
         offset, arrival number, next attempt of its mailbox or, held outside one, when it is due again,
         error, origin, record, id, ...

Why      One job is read in one piece, so what the stream tells later begins exactly there. A job that half a
         script has left in no set is left out: what the journal knows of its place is better, and repair.lua
         tells of it.
]]
--#include lib/job.lua

return moveEach(1, function(front)
    local list = {}
    for _, field in ipairs(call('HKEYS', K .. 'j:' .. front)) do
        local id = front .. field
        local row = rowOf(id, true)
        if row[1] ~= 'lost' then
            list[#list + 1] = id
            for _, text in ipairs(row) do
                list[#list + 1] = text
            end
        end
    end
    return list
end)
