-- How many bytes of records a mailbox holds, and those on their way into it (lib/ahead.lua), kept only
-- where there is a limit: the string `weight:<recipient>` is "<bytes> <messages>". Pushes add to it and nobody takes away, so it is never
-- too little; when it would refuse a message, it is counted anew, but not twice for the same messages.
--
-- Needs  ahead: aheadIds
-- Gives  weightOf addWeight

local kRemembered = 86400  -- s; counted anew afterwards, in case somebody has restored a message

local function rememberWeight(recipient, bytes, messages)
    call('SET', K .. 'weight:' .. recipient, string.format('%.0f %.0f', bytes, messages), 'EX', kRemembered)
end

local function readWeight(recipient)
    local bytes, messages = string.match(call('GET', K .. 'weight:' .. recipient) or '', '^(%d+) (%d+)$')
    return tonumber(bytes), tonumber(messages)
end

local function bytesOf(ids)
    local bytes = 0
    for _, group in ipairs(byHash(ids)) do
        for n = 1, #group.fields do
            bytes = bytes + call('HSTRLEN', group.key, group.fields[n])
        end
    end
    return bytes
end

-- Of the `waiting` messages of a mailbox and the `ahead` ones; exact when it is over `enough`.
local function weightOf(recipient, box, waiting, ahead, enough)
    if waiting + ahead == 0 then
        call('DEL', K .. 'weight:' .. recipient)
        return 0
    end
    local bytes, messages = readWeight(recipient)
    if bytes and (bytes <= enough or messages == waiting + ahead) then
        return bytes
    end
    bytes = 0
    for from = 0, waiting - 1, 500 do
        bytes = bytes + bytesOf(call('ZRANGE', box, from, from + 499))
    end
    for from = 0, ahead - 1, 500 do
        bytes = bytes + bytesOf(aheadIds(recipient, from, 500))
    end
    rememberWeight(recipient, bytes, waiting + ahead)
    return bytes
end

local function addWeight(recipient, messages, more)
    local bytes, before = readWeight(recipient)
    rememberWeight(recipient, (bytes or 0) + more, (before or 0) + messages)
end
