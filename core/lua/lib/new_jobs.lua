-- What a push needs for a batch of new jobs. lib/insert.lua says what their options are.
--
-- Gives  unpackOptions anyExists storeRecords
--#include lib/base.lua

local function unpackOptions(packed)
    local options = packed ~= '' and cmsgpack.unpack(packed) or {}
    options.once = options.once or ''
    return options
end

-- Whether one of the jobs in `groups`, as groupByHash() makes them, is there already.
local function anyExists(groups)
    local keys = {}
    for n = 1, #groups do
        keys[n] = groups[n].key
    end
    local existingCount = call('EXISTS', unpack(keys))
    for n = 1, #groups do
        -- Ids grow: mostly the first hash alone is there, begun by an earlier batch, and then no other is asked.
        if existingCount == 0 then
            return false
        end
        local records = call('HMGET', keys[n], unpack(groups[n].fields))
        for at = 1, #records do
            if records[at] then
                return true
            end
        end
        existingCount = existingCount - call('EXISTS', keys[n])
    end
    return false
end

-- Writes the records of new jobs with one HSET per hash.
local function storeRecords(groups, records)
    for _, group in ipairs(groups) do
        local hset, fields, at = {'HSET', group.key}, group.fields, group.at
        for n = 1, #at do
            hset[2 * n + 1], hset[2 * n + 2] = fields[n], records[at[n]]
        end
        call(unpack(hset))
    end
end
