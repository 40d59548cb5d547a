-- Shared by scripts that list jobs in the order of score, then id.
--
-- Gives  before rankBounds pageOf
--#include lib/base.lua

-- Byte order, as Redis sorts members; `<` would follow the server's locale.
local function before(a, b)
    for n = 1, math.min(#a, #b) do
        local x, y = string.byte(a, n), string.byte(b, n)
        if x ~= y then
            return x < y
        end
    end
    return #a < #b
end

-- The ranks of a set's scores from `from` to below `below`, which may be "-inf" and "+inf": first, and one behind the
-- last.
local function rankBounds(set, from, below)
    return from == '-inf' and 0 or call('ZCOUNT', set, '-inf', '(' .. from),
           below == '+inf' and call('ZCARD', set) or call('ZCOUNT', set, '-inf', '(' .. below)
end

-- The next attempt of the recipient's mailbox, and the job's number in it.
local function placeInMailboxOf(id, record)
    local _, at = laneOf(record)
    local recipient = timesOf(record) and struct.unpack('>Hc0', record, at) or ''
    local next = recipient ~= '' and call('ZSCORE', K .. 'boxes', recipient) or ''
    return next, next ~= '' and call('ZSCORE', K .. 'box:' .. recipient, id) or ''
end

-- A damaged record must not fail the page; the caller reports it.
local function placeInMailboxIfReadable(id, record)
    local readable, next, arrival = pcall(placeInMailboxOf, id, record)
    if readable then
        return next, arrival
    end
    return '', ''
end

-- The length of a field, LEB128 as in records, and the position after it.
local function lengthAt(record, at)
    local length, factor = 0, 1
    while true do
        local byte = string.byte(record, at)
        length, factor, at = length + byte % 128 * factor, factor * 128, at + 1
        if byte < 128 then
            return length, at
        end
    end
end

local function formatLength(length)
    local bytes = ''
    while length >= 128 do
        bytes, length = bytes .. string.char(length % 128 + 128), math.floor(length / 128)
    end
    return bytes .. string.char(length)
end

-- A record with no more than the first `most` bytes of its body, and how long the whole body is; or the record as it
-- is, and "". The body is the last field (docs/redis-schema.md, "The record").
local function withBodyCut(record, most)
    local kBodyTag, kLaneAt = 7, 19
    local at = kLaneAt + 1 + string.byte(record, kLaneAt)
    at = at + 2 + string.byte(record, at) * 256 + string.byte(record, at + 1)
    while at <= #record do
        local length, behind = lengthAt(record, at + 1)
        if string.byte(record, at) == kBodyTag and length > most then
            return sub(record, 1, at) .. formatLength(most) .. sub(record, behind, behind + most - 1), tostring(length)
        end
        at = behind + length
    end
    return record, ''
end

-- A damaged record stays as it is; the caller reports it.
local function cutIfReadable(record, most)
    if #record <= most then
        return record, ''
    end
    local readable, cut, bodySize = pcall(withBodyCut, record, most)
    if readable then
        return cut, bodySize
    end
    return record, ''
end

-- The flat list that pages consist of: id, score, failed attempts, last error, next attempt of the
-- recipient's mailbox or, of one that is held outside a mailbox, "@" and when it is due again, or "", record or ""
-- (an id without one) with at most `mostBodyBytes` of its body, its number in the mailbox or "", its origin or "",
-- how long its body is if it has been cut or "", ... An entry of the set `held` says so.
local function pageOf(entries, limit, mostBodyBytes)
    local ids, reply = {}, {}
    for n = 1, math.min(limit, #entries) do
        ids[n] = entries[n].id
    end
    local records, failedAttempts = fetch(ids), attemptsOf(ids)
    local origins = #ids > 0 and call('HMGET', K .. 'origin', unpack(ids))
    for n, record in ipairs(records) do
        local at = 9 * (n - 1)
        local next, arrival = '', ''
        if record then
            next, arrival = placeInMailboxIfReadable(ids[n], record)
        end
        reply[at + 1], reply[at + 2] = ids[n], entries[n].score
        reply[at + 3] = failedAttempts[n]
        reply[at + 4] = call('HGET', K .. 'error', ids[n]) or ''
        local kept = entries[n].held and arrival == '' and keptDue(ids[n])
        reply[at + 5] = kept and '@' .. kept or next
        reply[at + 6], reply[at + 9] = '', ''
        if record then
            reply[at + 6], reply[at + 9] = cutIfReadable(record, mostBodyBytes)
        end
        reply[at + 7] = arrival
        reply[at + 8] = origins[n] or ''
    end
    return reply
end
