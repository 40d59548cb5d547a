#!lua flags=allow-oom
--[[
clear -- take ids whose record is gone out of a set.

Transition   none: there are no such jobs        (docs/job-lifecycle.md, row "repair")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    kind       "zset" | "hash": what the key is
    key        behind the shard's prefix
    mode       "clear" | "look": only tell of them
    n          how many members follow
    member...  of the set, or fields of the hash: ids, or members of the index, which end with one

Returns  for each request the ids that are in the key and have no record, or were until now

Touches  the key; reads j:*

Why      A push cut short leaves places of a job that was never stored, a purge cut short leaves its notes. Claims pass
         over such ids, but a new job of that id would inherit what they say. One that has gone since
         somebody looked, or has come, is left alone.
]]
--#include lib/base.lua

local kFindCommand, kRemoveCommand = {zset = 'ZSCORE', hash = 'HEXISTS'}, {zset = 'ZREM', hash = 'HDEL'}

local function isStray(kind, key, id, member)
    local hash, field = addressOf(id)
    if call('HEXISTS', hash, field) == 1 then
        return false
    end
    local found = call(kFindCommand[kind], key, member)
    return found and found ~= 0
end

return answerLists(4, 1, function(first, last, kind, name, mode)
    local key, strays = K .. name, {}
    for n = first, last do
        local id = string.match(ARGV[n], '[^%z]*$')
        if isStray(kind, key, id, ARGV[n]) then
            strays[#strays + 1] = id
            if mode == 'clear' then
                call(kRemoveCommand[kind], key, ARGV[n])
            end
        end
    end
    return strays
end)
