#!lua flags=allow-oom
--[[
crossed -- the mark of a job goes: its row in SQL says where it is, or its push has ended.

Transition   none        (docs/decisions/0042-cold-jobs.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id
    mark       that is expected; "in" or "out" = of any version

Returns  for each job "ok" | "other" (it has another mark, or none)

Touches  crossing

Why      A mark that was set since is somebody else's.
]]
--#include lib/crossing.lua
guardCrossing()

return answerEach(2, function(id, mark)
    local current = call('HGET', K .. 'crossing', id)
    local matches = current and (current == mark or string.match(current, '^%l+') == mark)
    if matches then
        call('HDEL', K .. 'crossing', id)
    end
    return matches and 'ok' or 'other'
end)
