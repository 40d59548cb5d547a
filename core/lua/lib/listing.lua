-- What scripts share that list jobs in the order of score, then id.
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
local function mailboxOf(id, record)
    local _, at = laneOf(record)
    local recipient = timesOf(record) and struct.unpack('>Hc0', record, at) or ''
    local next = recipient ~= '' and call('ZSCORE', K .. 'boxes', recipient) or ''
    return next, next ~= '' and call('ZSCORE', K .. 'box:' .. recipient, id) or ''
end

-- A damaged record must not hide the others: its reader says what is wrong with it.
local function mailboxIfReadable(id, record)
    local readable, next, arrival = pcall(mailboxOf, id, record)
    if readable then
        return next, arrival
    end
    return '', ''
end

-- The flat list that pages consist of: id, score, past attempts, last error, next attempt of the
-- recipient's mailbox or, of one that is held by itself, "@" and when it is due again, or "", record or "" (an id
-- without one), its number in the mailbox or "", its origin or "", ... An entry of the set `held` says so.
local function pageOf(entries, limit)
    local ids, reply = {}, {}
    for n = 1, math.min(limit, #entries) do
        ids[n] = entries[n].id
    end
    local records, past = fetch(ids), pastOf(ids)
    local origins = #ids > 0 and call('HMGET', K .. 'origin', unpack(ids))
    for n, record in ipairs(records) do
        local at = 8 * (n - 1)
        local next, arrival = '', ''
        if record then
            next, arrival = mailboxIfReadable(ids[n], record)
        end
        reply[at + 1], reply[at + 2] = ids[n], entries[n].score
        reply[at + 3] = past[n]
        reply[at + 4] = call('HGET', K .. 'error', ids[n]) or ''
        local kept = entries[n].held and arrival == '' and keptDue(ids[n])
        reply[at + 5] = kept and '@' .. kept or next
        reply[at + 6] = record or ''
        reply[at + 7] = arrival
        reply[at + 8] = origins[n] or ''
    end
    return reply
end
