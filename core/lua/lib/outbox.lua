-- The outbox and the wake-ups. ARGV[2] is how many entries the event stream keeps.

-- Ids as the stream keeps them: separated by spaces; neighbours that differ in their last character
-- only are one word, what they share, a tab, and the last characters. A tenth of the bytes, in
-- memory and in the append-only file.
local function packed(groups)
    local words = {}
    for n, group in ipairs(groups) do
        local tab = #group.fields > 1 and '\t' or ''
        words[n] = group.shared .. tab .. concat(group.fields)
    end
    return concat(words, ' ')
end

-- One entry of the event stream for all ids in `groups`, as byHash() makes them.
local function append(transition, groups, by, why)
    if #groups == 0 then
        return
    end
    local entry = {'XADD', K .. 'events', 'MAXLEN', '~', ARGV[2], '*',
                   't', transition, 'at', ARGV[1], 'ids', packed(groups)}
    for name, text in pairs({by = by, why = why}) do
        if text ~= '' then
            entry[#entry + 1] = name
            entry[#entry + 1] = text
        end
    end
    call(unpack(entry))
end

-- Before a write: will an entry with `score` be the head of this set?
local function leads(set, score)
    local head = call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]
    return not head or tonumber(score) < tonumber(head)
end

-- Tells the watchers of a set that it has a nearer head. `lane` only for the kind 'lanes'.
local function wake(kind, score, lane)
    local text = string.format('%s %.0f', kind, math.floor(tonumber(score)))
    if lane then
        local channel, topic = string.match(lane, '^(%l+):%d:(.*)$')
        text = text .. ' ' .. channel .. ' ' .. topic
    end
    call('PUBLISH', K .. 'wake', text)
end

-- Many entries at once: `zadd` is the whole command.
local function addTo(zadd, kind, lane)
    local before = call('ZRANGE', zadd[2], 0, 0, 'WITHSCORES')[2]
    call(unpack(zadd))
    local after = call('ZRANGE', zadd[2], 0, 0, 'WITHSCORES')[2]
    if before ~= after then
        wake(kind, after, lane)
    end
end
