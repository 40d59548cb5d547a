-- The secondary indexes: one sorted set a shard, every score 0, so that a range of members is a
-- look-up. A record says in its second byte which of them it is in: bit 0 by its biz key, bit 1 by
-- its sender. A member is `b`, NUL, the key, NUL, the id; or `s` and the sender. Neither a key nor
-- a sender has control characters, so nothing is ambiguous.
--
-- Gives  isIndexed appendIndexMembers index unindex
--#include lib/base.lua

local kIndexTags = {[3] = {mask = 2, letter = 's'}, [4] = {mask = 1, letter = 'b'}}
local kLastIndexTag = 4

local function isIndexed(record)
    return string.byte(record, 2) % 4 ~= 0
end

local function readVarint(record, at)
    local value, weight = 0, 1
    while true do
        local byte = string.byte(record, at)
        at = at + 1
        value = value + (byte % 128) * weight
        if byte < 128 then
            return value, at
        end
        weight = weight * 128
    end
end

-- Appends the job's members to `members`.
local function appendIndexMembers(id, record, members)
    local flags = string.byte(record, 2)
    local _, at = laneOf(record)
    _, at = struct.unpack('>Hc0', record, at)
    while at <= #record do
        local tag, length = string.byte(record, at)
        if tag > kLastIndexTag then
            return
        end
        length, at = readVarint(record, at + 1)
        local indexTag = kIndexTags[tag]
        if indexTag and math.floor(flags / indexTag.mask) % 2 == 1 then
            local value = sub(record, at, at + length - 1)
            members[#members + 1] = indexTag.letter .. '\0' .. value .. '\0' .. id
        end
        at = at + length
    end
end

-- Adds jobs to the index; records[n] belongs to ids[n].
local function index(ids, records)
    local members = {}
    for n = 1, #ids do
        if isIndexed(records[n]) then
            appendIndexMembers(ids[n], records[n], members)
        end
    end
    if #members > 0 then
        local zadd = {'ZADD', K .. 'index'}
        for n, member in ipairs(members) do
            zadd[2 * n + 1], zadd[2 * n + 2] = '0', member
        end
        call(unpack(zadd))
    end
end

-- Removes jobs from the index before their records are removed; false = no record.
local function unindex(ids, records)
    local members = {}
    for n = 1, #ids do
        if records[n] and string.byte(records[n]) == 1 and isIndexed(records[n]) then
            appendIndexMembers(ids[n], records[n], members)
        end
    end
    if #members > 0 then
        call('ZREM', K .. 'index', unpack(members))
    end
end
