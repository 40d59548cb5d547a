-- The outbox and the wake-ups.
--
-- Gives  journalBacklog eventsKept rowOf attemptNotes keepNote unpackActor appendEvent withEvent groupByActor
--        appendGroups leads wake setScore setNextAttempt setScores
--#include lib/base.lua

-- Ids as the stream keeps them: separated by spaces; neighbours that differ in their last character
-- only are one word, what they share, a tab, and the last characters. A tenth of the bytes, in
-- memory and in the append-only file.
local function packIds(groups)
    local words = {}
    for n, group in ipairs(groups) do
        local tab = #group.fields > 1 and '\t' or ''
        words[n] = group.shared .. tab .. concat(group.fields)
    end
    return concat(words, ' ')
end

-- How many entries the stream may keep while a journal listens (docs/journal.md); false when none
-- does. Asked once a script, and never an error: what has been written would stay.
local backlog
local function journalBacklog()
    if backlog == nil then
        local reply = redis.pcall('HGET', K .. 'journal', 'backlog')
        backlog = type(reply) == 'string' and reply
    end
    return backlog
end

local function eventsKept()
    return journalBacklog() or ARGV[2]
end

-- The row of one job as it is now, for the journal; lib/job.lua knows how.
local rowOf

-- The transitions whose rows have the record, too: the journal may have no row of the job.
local kWithRecord = {push = true, repair = true, warm = true, restore = true}

-- The field with the rows that the journal needs when the script does not provide fields itself, in the order of
-- packIds().
local function rowFields(transition, groups)
    local list = {}
    for _, group in ipairs(groups) do
        for _, field in ipairs(group.fields) do
            list[#list + 1] = rowOf(group.shared .. field, kWithRecord[transition])
        end
    end
    return {'row', cmsgpack.pack(list)}
end

-- Counts the jobs of each transition, from which rates are computed. Never an error, because
-- earlier writes would stay.
local function countMoves(transition, groups)
    local jobs = 0
    for g = 1, #groups do
        jobs = jobs + #groups[g].fields
    end
    redis.pcall('HINCRBY', K .. 'moves', transition, jobs)
end

-- Notes of workers about their attempts, by job; appendEvent() adds them to the event.
local attemptNotes, anyNote = {}, false
local function keepNote(id, text)
    if text ~= '' then
        attemptNotes[id], anyNote = text, true
    end
end

-- The notes of an entry's jobs, in the order of packIds(); nothing when none of them has one.
local function noteField(groups)
    local list, hasAny = {}, false
    for _, group in ipairs(groups) do
        for _, field in ipairs(group.fields) do
            local text = attemptNotes[group.shared .. field]
            list[#list + 1] = text or ''
            hasAny = hasAny or text ~= nil
        end
    end
    return hasAny and cmsgpack.pack(list)
end

-- Unpacks who acts: a packed map of `by`, the actor, and `why`, the reason; "" = a worker.
local function unpackActor(who)
    local fields = who ~= '' and cmsgpack.unpack(who) or {}
    return fields.by, fields.why
end

-- The actor of a bulk action has its id appended after a unit separator.
local function actorAndBulkActionId(by)
    local actor, bulkActionId = string.match(by or '', '^(.*)\31(.*)$')
    return actor or by, bulkActionId
end

local newestEvent  -- the id of the last entry that this script has appended

-- One entry of the event stream for all ids in `groups`, as groupByHash() makes them.
-- `journalFields` answers further fields and is asked only when a journal listens; those in the list `extraFields`
-- are always there.
local function appendEvent(transition, groups, by, why, journalFields, extraFields)
    if #groups == 0 then
        return
    end
    countMoves(transition, groups)
    local entry = {'XADD', K .. 'events', 'MAXLEN', '~', eventsKept(), '*', 't', transition, 'at', ARGV[1], 'ids', packIds(groups)}
    local actor, bulkActionId = actorAndBulkActionId(by)
    for name, text in pairs({by = actor, why = why, order = bulkActionId}) do
        if text ~= '' then
            entry[#entry + 1] = name
            entry[#entry + 1] = text
        end
    end
    for _, word in ipairs(extraFields or {}) do
        entry[#entry + 1] = word
    end
    if journalBacklog() then
        local fields = journalFields and journalFields() or rowOf and rowFields(transition, groups) or {}
        for n = 1, #fields do
            entry[#entry + 1] = fields[n]
        end
        local note = anyNote and noteField(groups)
        if note then
            entry[#entry + 1] = 'note'
            entry[#entry + 1] = note
        end
        entry[#entry + 1] = 'w'
        entry[#entry + 1] = ARGV[3]
    end
    newestEvent = call(unpack(entry))
end

-- The answer of a script whose callers may wait until the journal has what was done: while one listens, it stands
-- behind the word "event" and the id of the entry to wait for (ScriptQueue).
local function withEvent(answer)
    if newestEvent and journalBacklog() then
        return {'event', newestEvent, answer}
    end
    return answer
end

-- One entry for all jobs that the same person has moved for the same reason: groupByActor() notes a job,
-- appendGroups() writes the entries. `to` is told of jobs that come back just as the journal has them: their state.
local actorGroups, byActor = {}, {}
local function groupByActor(id, by, why, to)
    local key = cmsgpack.pack({by or '', why or '', to or ''})
    local group = byActor[key]
    if not group then
        group = {by = by, why = why, to = to}
        byActor[key], actorGroups[#actorGroups + 1] = group, group
    end
    group[#group + 1] = id
end

local function appendGroups(transition)
    for _, group in ipairs(actorGroups) do
        appendEvent(transition, groupByHash(group), group.by, group.why,
                    group.to and function() return {'to', group.to} end)
    end
end

-- Called before a write: whether an entry with `score` would be the head of the set.
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

-- Gives a member of a set its score, and tells the watchers if that is the set's new head, even when `only`, an option
-- of ZADD ('LT', 'NX', 'XX'), keeps it from being written. `lane` is the name of a lane, for those who watch lanes.
local function setScore(set, kind, score, member, only, lane)
    local nearer = leads(set, score)
    if only then
        call('ZADD', set, only, score, member)
    else
        call('ZADD', set, score, member)
    end
    if nearer then
        wake(kind, score, lane)
    end
end

-- The mailbox is tried again at `next`; `only` as for setScore().
local function setNextAttempt(recipient, next, only)
    setScore(K .. 'boxes', 'mailboxes', next, recipient, only)
end

-- Many entries at once: `zadd` is the whole command.
local function setScores(zadd, kind, lane)
    local before = call('ZRANGE', zadd[2], 0, 0, 'WITHSCORES')[2]
    call(unpack(zadd))
    local after = call('ZRANGE', zadd[2], 0, 0, 'WITHSCORES')[2]
    if before ~= after then
        wake(kind, after, lane)
    end
end
