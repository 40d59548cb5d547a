-- Messages that wait for their time in the lanes, and have their part of what their mailbox, and all
-- mailboxes together, may hold: the sorted set `ahead`, every score 0, with "<recipient>", NUL, "<id>".
-- Neither has control characters. leave() of lib/job.lua takes them out.
--
-- Gives  enterAhead aheadInAll aheadOf aheadIds

local function enterAhead(job)
    call('ZADD', K .. 'ahead', '0', job.recipient .. '\0' .. job.id)
end

local function aheadInAll()
    return call('ZCARD', K .. 'ahead')
end

-- How many of them are for one mailbox.
local function aheadOf(recipient)
    return call('ZLEXCOUNT', K .. 'ahead', '[' .. recipient .. '\0', '(' .. recipient .. '\1')
end

-- `count` ids of them, from the one at place `from` on; the first is 0.
local function aheadIds(recipient, from, count)
    local ids = call('ZRANGEBYLEX', K .. 'ahead', '[' .. recipient .. '\0', '(' .. recipient .. '\1',
                     'LIMIT', from, count)
    for n, member in ipairs(ids) do
        ids[n] = sub(member, #recipient + 2)
    end
    return ids
end
