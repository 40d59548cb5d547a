-- Shared by all scripts. KEYS[1] is the shard's prefix, `K` of docs/redis-schema.md: it names the
-- slot; every other key is built from it. ARGV[1] is now, ms since epoch; ARGV[2] how many entries
-- the event stream keeps without a journal; ARGV[3] who calls, "host/1234", for the journal; what
-- is asked of the script begins at ARGV[kFirst].
--
-- Gives  K now call kFirst ARGV sub concat guard answerEach answerLists kContentStart addressOf groupByHash fetch
--        formatAttempts attemptsOf keptDue timesOf wasCreatedAt laneOf

local K, now, call, kFirst = KEYS[1], tonumber(ARGV[1]), redis.call, 4
local ARGV, sub, concat = ARGV, string.sub, table.concat

-- KEYS[2], where a caller names it, is the key `serving:<token>`: it stands for a store that has been
-- compared with its journal. Whoever was told the token of a store that was emptied, replaced or
-- rolled back since is refused before anything is read or written (docs/journal.md, "Identity").
if KEYS[2] and call('EXISTS', KEYS[2]) == 0 then
    return {err = 'NOTSERVING this store has not been compared with its journal yet'}
end

-- The command that counts what a key holds, and refuses a key of any other type.
local kSizeCommand = {zset = 'ZCARD', hash = 'HLEN', set = 'SCARD', string = 'STRLEN', stream = 'XLEN'}

-- A write to a key of a foreign type fails half way through a script, and nothing is rolled back:
-- so the types of all keys are checked first. Returns the size of each.
local function guard(kinds)
    local sizes = {}
    for key, kind in pairs(kinds) do
        sizes[key] = redis.pcall(kSizeCommand[kind], K .. key)
        if type(sizes[key]) == 'table' then
            error({err = sizes[key].err .. ' (the key "' .. K .. key .. '" is not a ' .. kind .. ')'})
        end
    end
    return sizes
end

-- The replies of `answer` to each request of `stride` arguments.
local function answerEach(stride, answer)
    local replies = {}
    for i = kFirst, #ARGV, stride do
        replies[#replies + 1] = answer(unpack(ARGV, i, i + stride - 1))
    end
    return replies
end

-- The same of requests of `fixed` arguments, the last of which says how many groups of `width` follow: `answer` is
-- told where in ARGV those begin and end, and the arguments before their number.
local function answerLists(fixed, width, answer)
    local replies, i = {}, kFirst
    while i <= #ARGV do
        local first = i + fixed
        local last = first + width * tonumber(ARGV[first - 1]) - 1
        replies[#replies + 1] = answer(first, last, unpack(ARGV, i, first - 2))
        i = last + 1
    end
    return replies
end

local kContentStart = 19  -- the first byte of a record that belongs to its content: the lane

-- The hash and field of a record: sixteen neighbours share one hash.
local function addressOf(id)
    return K .. 'j:' .. sub(id, 1, -2), sub(id, -1)
end

-- Splits ids by their hash: a list of {key, shared beginning, positions in ids, last characters}.
-- Neighbours are common, so the one before is tried first: strings are what costs here.
local function groupByHash(ids)
    local groups, index = {}, {}
    local group, shared, at, fields, n
    for i = 1, #ids do
        local prefix = sub(ids[i], 1, -2)
        if prefix ~= shared then
            shared, group = prefix, index[prefix]
            if not group then
                group = {key = K .. 'j:' .. prefix, shared = prefix, at = {}, fields = {}}
                index[prefix] = group
                groups[#groups + 1] = group
            end
            at, fields = group.at, group.fields
            n = #fields
        end
        n = n + 1
        at[n], fields[n] = i, sub(ids[i], -1)
    end
    return groups
end

-- The records of ids, false where there is none; and the groups they were read in.
local function fetch(ids)
    local records, groups = {}, groupByHash(ids)
    for g = 1, #groups do
        local at = groups[g].at
        local found = call('HMGET', groups[g].key, unpack(groups[g].fields))
        for n = 1, #at do
            records[at[n]] = found[n]
        end
    end
    return records, groups
end

-- The failed attempts of a job as in replies: their number and, if an operator has reset them, a
-- space and how many of them no longer count, which is the attempt offset. Their keys are called
-- `past` and `forgotten`.
local function formatAttempts(failedAttempts, attemptOffset)
    return attemptOffset ~= '0' and failedAttempts .. ' ' .. attemptOffset or failedAttempts
end

local function attemptsOf(ids)
    local failedAttempts = #ids > 0 and call('HMGET', K .. 'past', unpack(ids)) or {}
    local hasOffsets = #ids > 0 and call('HLEN', K .. 'forgotten') > 0
    local attemptOffsets = hasOffsets and call('HMGET', K .. 'forgotten', unpack(ids)) or {}
    local attempts = {}
    for n = 1, #ids do
        attempts[n] = formatAttempts(failedAttempts[n] or '0', attemptOffsets[n] or '0')
    end
    return attempts
end

-- The due time that release restores to a job held outside a mailbox. Nothing when it is unknown,
-- as for a job that was leased when it was held, or is in a mailbox.
local function keptDue(id)
    return string.match(call('HGET', K .. 'origin', id) or '', '^scheduled (%S+)')
end

-- ttr and expires of a record, ms; nil when this program does not know its format.
local function timesOf(record)
    if string.byte(record) ~= 1 then
        return nil
    end
    return struct.unpack('>xxI4I6', record)
end

-- Whether a record is the one that was created then: ms, "" = whichever. A job that is replaced keeps its id.
local function wasCreatedAt(record, created)
    return created == '' or record and tonumber(created) == struct.unpack('>I6', record, 13)
end

-- The lane of a record, and where in it the recipient begins.
local function laneOf(record)
    return struct.unpack('>xxxxxxxxxxxxxxxxxxBc0', record)
end
