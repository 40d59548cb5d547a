-- What scripts share that list jobs in the order of score, then id.

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

local function nextOf(record)
    local _, at = laneOf(record)
    local recipient = timesOf(record) and struct.unpack('>Hc0', record, at) or ''
    return recipient ~= '' and call('ZSCORE', K .. 'boxes', recipient) or ''
end

-- A damaged record must not hide the others: its reader says what is wrong with it.
local function nextIfReadable(record)
    local readable, next = pcall(nextOf, record)
    return readable and next or ''
end

-- The flat list that pages consist of: id, score, past attempts, last error, next attempt of the
-- recipient's mailbox or "", record or "" (an id without one), ...
local function describe(entries, limit)
    local ids, reply = {}, {}
    for n = 1, math.min(limit, #entries) do
        ids[n] = entries[n].id
    end
    local records, past = fetch(ids), pastOf(ids)
    for n, record in ipairs(records) do
        local at = 6 * (n - 1)
        reply[at + 1], reply[at + 2] = ids[n], entries[n].score
        reply[at + 3] = past[n]
        reply[at + 4] = call('HGET', K .. 'error', ids[n]) or ''
        reply[at + 5] = record and nextIfReadable(record) or ''
        reply[at + 6] = record or ''
    end
    return reply
end
