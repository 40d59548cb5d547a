#!lua flags=no-writes
--[[
topics -- which topics are held back, and by what.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    unused     "": one argument a request

Returns  for each request a flat list of three for each topic and kind: "pause", topic,
         "<since ms>\n<by>\n<why>"; "limit", topic, "<leased> <concurrency> <jobs> <per ms>"

Reads    paused limits busy:*

Why      People pause and limit topics one by one, so there are few.
]]
--#include lib/base.lua

return answerEach(1, function()
    local rows = {}
    local function add(...)
        for _, cell in ipairs({...}) do
            rows[#rows + 1] = cell
        end
    end
    local paused = call('HGETALL', K .. 'paused')
    for n = 1, #paused, 2 do
        add('pause', paused[n], paused[n + 1])
    end
    local limits = call('HGETALL', K .. 'limits')
    for n = 1, #limits, 2 do
        local storeLimits = string.match(limits[n + 1], '^%S+ %S+ (.*)$')
        local leased = call('ZCARD', K .. 'busy:' .. limits[n])
        add('limit', limits[n], string.format('%d %s', leased, storeLimits))
    end
    return rows
end)
