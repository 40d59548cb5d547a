#!lua
--[[
import_once -- a once key as an export has it.

Transition   none: it is no job        (docs/redis-schema.md, "Once keys")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each key:
    key
    id            what was stored under it
    once ms       how long it is remembered
    generation    the number of the span of so long in which that was (docs/redis-schema.md)

Returns  for each key "ok" | "same <id>" (it is remembered, or its time is over)

Touches  once:*

Why      A push that is repeated after the import must find what it would have found before.
]]
--#include lib/once.lua

return answerEach(4, function(key, id, onceMs, generationText)
    local ms, generation = tonumber(onceMs), tonumber(generationText)
    local known = recallOnce({key}, ms)[1]
    if known or math.floor(now / ms) - generation > 1 then
        return 'same ' .. (known or id)
    end
    local hash = K .. 'once:' .. string.format('%.0f:%.0f', ms, generation)
    call('HSET', hash, key, id)
    call('PEXPIRE', hash, string.format('%.0f', (generation + 3) * ms - now), 'NX')
    return 'ok'
end)
