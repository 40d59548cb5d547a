#!lua
--[[
import_once -- a once key as an export has it.

Transition   none: it is no job        (docs/redis-schema.md, "Once keys")

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each key:
    key
    id            what was stored under it
    once ms       how long it is remembered
    generation    the span of so long in which that was

Returns  for each key "ok" | "same <id>" (it is remembered, or its time is over)

Touches  once:*

Why      A push that is repeated after the import must find what it would have found before.
]]
--#include lib/base.lua
--#include lib/once.lua

local function import(key, id, onceMs, generation)
    local ms, born = tonumber(onceMs), tonumber(generation)
    local known = recallOnce({key}, ms)[1]
    if known or math.floor(now / ms) - born > 1 then
        return 'same ' .. (known or id)
    end
    local hash = K .. 'once:' .. string.format('%.0f:%.0f', ms, born)
    call('HSET', hash, key, id)
    call('PEXPIRE', hash, string.format('%.0f', (born + 3) * ms - now), 'NX')
    return 'ok'
end

local replies = {}
for i = kFirst, #ARGV, 4 do
    replies[#replies + 1] = import(unpack(ARGV, i, i + 3))
end
return replies
