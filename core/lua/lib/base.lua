-- What every script shares. KEYS[1] is the shard's prefix, `K` of docs/redis-schema.md: it names
-- the slot; every other key is built from it. ARGV[1] is now, ms since epoch.
local K, now, call = KEYS[1], tonumber(ARGV[1]), redis.call
local sub, concat = string.sub, table.concat

-- A write to a key of a foreign type fails half way through a script, and nothing is rolled back:
-- so ask for the types first.
local function guard(kinds)
    for key, kind in pairs(kinds) do
        local found = call('TYPE', K .. key).ok
        if found ~= kind and found ~= 'none' then
            error({err = 'WRONGTYPE the key "' .. key .. '" is a ' .. found .. ', not a ' .. kind})
        end
    end
end

-- Where a record lives: sixteen neighbours share one hash.
local function addressOf(id)
    return K .. 'j:' .. sub(id, 1, -2), sub(id, -1)
end

-- Splits ids by their hash: a list of {key, {position in ids...}, {field...}}.
local function byHash(ids)
    local groups, index = {}, {}
    for i = 1, #ids do
        local key, field = addressOf(ids[i])
        local group = index[key]
        if not group then
            group = {key, {}, {}}
            index[key] = group
            groups[#groups + 1] = group
        end
        local n = #group[2] + 1
        group[2][n], group[3][n] = i, field
    end
    return groups
end

-- The records of ids, false where there is none.
local function fetch(ids)
    local records = {}
    for _, group in ipairs(byHash(ids)) do
        local found = call('HMGET', group[1], unpack(group[3]))
        for n, i in ipairs(group[2]) do
            records[i] = found[n]
        end
    end
    return records
end

-- ttr, expires, lane and the position of the recipient; nil when this program does not know the
-- record's format.
local function headerOf(record)
    if string.byte(record) ~= 1 then
        return nil
    end
    return struct.unpack('>xxI4I6xxxxxxBc0', record)
end
