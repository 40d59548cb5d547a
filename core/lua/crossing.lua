#!lua flags=no-writes
--[[
crossing -- what Redis knows of jobs that somebody left between it and the journal's database.

Transition   none; it only looks        (docs/decisions/0042-cold-jobs.md)

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each job:
    id

Returns  for each job a list: "1" or "0" (whether it is there), and its mark or ""

Touches  reads crossing j:*

Why      Both are read in one step, or a job could be taken for gone that is just coming.
]]
--#include lib/crossing.lua

return answerEach(1, function(id)
    local key, field = addressOf(id)
    return {call('HEXISTS', key, field) == 1 and '1' or '0', (markOf(id)) or ''}
end)
