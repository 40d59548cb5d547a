-- Giving out jobs: what claim and claim_mailbox share.

-- What a record's first twelve bytes (format, ttr, expires) say about leasing its job now. Most
-- jobs have the same, so each kind is read once.
local terms = {}
local function termsOf(record)
    local head = sub(record, 1, 12)
    local its = terms[head]
    if not its then
        local ttr, expires = timesOf(record)
        its = {
            live = ttr and (expires == 0 or expires > now),
            timed = ttr and expires > 0,
            deadline = ttr and string.format('%.0f', now + ttr),
        }
        terms[head] = its
    end
    return its
end

-- The past attempts into `rows`: id, due score, past attempts, record of each job.
local function notePast(rows)
    if #rows == 0 or call('HLEN', K .. 'past') == 0 then
        return
    end
    local ids = {}
    for n = 1, #rows, 4 do
        ids[#ids + 1] = rows[n]
    end
    for n, past in ipairs(call('HMGET', K .. 'past', unpack(ids))) do
        rows[4 * n - 1] = past or '0'
    end
end
