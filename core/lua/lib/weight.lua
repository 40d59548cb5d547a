-- How many bytes of records a mailbox holds, kept only where there is a limit: the string
-- `weight:<recipient>` is "<bytes> <messages>". Pushes add to it and nobody takes away, so it is never
-- too little; when it would refuse a message, it is counted anew, but not twice for the same messages.

local kRemembered = 86400  -- s; counted anew afterwards, in case somebody has restored a message

local function rememberWeight(recipient, bytes, messages)
    call('SET', K .. 'weight:' .. recipient, string.format('%.0f %.0f', bytes, messages), 'EX', kRemembered)
end

local function readWeight(recipient)
    local bytes, messages = string.match(call('GET', K .. 'weight:' .. recipient) or '', '^(%d+) (%d+)$')
    return tonumber(bytes), tonumber(messages)
end

-- Of the `waiting` messages of a mailbox; exact when it is over `enough`.
local function weightOf(recipient, box, waiting, enough)
    if waiting == 0 then
        call('DEL', K .. 'weight:' .. recipient)
        return 0
    end
    local bytes, messages = readWeight(recipient)
    if bytes and (bytes <= enough or messages == waiting) then
        return bytes
    end
    bytes = 0
    for from = 0, waiting - 1, 500 do
        for _, group in ipairs(byHash(call('ZRANGE', box, from, from + 499))) do
            for n = 1, #group.fields do
                bytes = bytes + call('HSTRLEN', group.key, group.fields[n])
            end
        end
    end
    rememberWeight(recipient, bytes, waiting)
    return bytes
end

local function addWeight(recipient, messages, more)
    local bytes, before = readWeight(recipient)
    rememberWeight(recipient, (bytes or 0) + more, (before or 0) + messages)
end
