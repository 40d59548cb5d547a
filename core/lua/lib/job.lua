-- One job: where it is, how it leaves there, how it enters elsewhere. A script decides between
-- find() and the first leaveSet(); from then on it only writes.
--
-- Needs  held_bytes: addHeldBytes; outbox: setScore setNextAttempt; topic: topicOfLane freeSlot
-- Gives  kSets kStates kEnded checkKeyTypes jobOf find lostPlaceOf withLostPlace lifecycleStateOf conflictReply
--        staleReply leaseRefusal isDueAt countAttempt setError leaveSet leaveMailbox enterLane enterHeld nowIfReleased
--        enterBox rememberOrigin enterPlace die moveEach forEachJob
--#include lib/held_bytes.lua
--#include lib/topic.lua

-- The sets of the states but scheduled and ready, which are both in the job's lane.
local kSets = {leased = 'lease', held = 'held', dead = 'dead', trashed = 'trash', done = 'done'}
local kStates = {'leased', 'held', 'dead', 'trashed', 'done'}  -- in order of preference, if several have a job
local kEnded = {dead = 'dead', trashed = 'trash', done = 'done'}

local function checkKeyTypes()
    guard({lease = 'zset', held = 'zset', dead = 'zset', trash = 'zset', done = 'zset',
           expiry = 'zset', boxes = 'zset', past = 'hash', forgotten = 'hash', error = 'hash', origin = 'hash',
           index = 'zset', ahead = 'zset', held_bytes = 'hash', taken = 'hash', limits = 'hash', lanes = 'set', seq = 'string', events = 'stream'})
end

-- The contents of a record; nil when its format is unknown.
local function jobOf(id, record)
    local ttr, expires = timesOf(record)
    if not ttr then
        return nil
    end
    local lane, at = laneOf(record)
    local key, field = addressOf(id)
    local recipient = struct.unpack('>Hc0', record, at)
    return {id = id, key = key, field = field, ttr = ttr, expires = expires, bytes = #record,
            laneName = lane, lane = K .. 'due:' .. lane,
            recipient = recipient, box = K .. 'box:' .. recipient}
end

-- The job with its state ('scheduled' stands for ready, too), the score it has there, its arrival
-- number if it is in a mailbox, and its failed attempts; or nil and why not.
local function find(id)
    local key, field = addressOf(id)
    local record = call('HGET', key, field)
    if not record then
        return nil, 'gone'
    end
    local job = jobOf(id, record)
    if not job then
        return nil, 'unreadable'
    end
    job.failedAttempts = tonumber(call('HGET', K .. 'past', id) or 0)
    job.arrival = job.recipient ~= '' and call('ZSCORE', job.box, id)
    job.state, job.set, job.score = 'scheduled', job.lane, call('ZSCORE', job.lane, id)
    if job.score then
        return job
    end
    for _, state in ipairs(kStates) do
        local set = kSets[state]
        local score = call('ZSCORE', K .. set, id)
        if score then
            job.state, job.set, job.score = state, K .. set, score
            return job
        end
    end
    job.state, job.set, job.score = 'lost', nil, ARGV[1]
    return job
end

-- Where a lost job (one in no set, because a script was cut short) is put back: {state, score, arrival, next,
-- previousOrigin} as in `origin` (see rememberOrigin()), '-' = none. What is left of its place decides: its mailbox,
-- the place it had before it ended; else it is due now.
local function lostPlaceOf(job)
    if job.arrival then
        return {'held', '-', job.arrival, ARGV[1]}
    end
    local state, score, arrival, next, previousOrigin =
        string.match(call('HGET', K .. 'origin', job.id) or '', '^(%l+) (%S+) (%S+) (%S+) ?(.*)$')
    if state then
        return {state, score, arrival, next, previousOrigin}
    end
    return {'scheduled', ARGV[1], '-', '-'}
end

-- Replaces the state 'lost' by that of the place to which the job would be put back: for lists and show.
local function withLostPlace(job)
    if job.state == 'lost' then
        local place = lostPlaceOf(job)
        job.state, job.score = place[1], tonumber(place[2]) and place[2] or ARGV[1]
    end
    return job
end

-- state, score, failed attempts, arrival number, next attempt of its mailbox or, of one that is held outside a
-- mailbox, when it is due again, error, origin, record
rowOf = function(id, withRecord)
    local job = find(id)
    if not job then
        return {'', '', '', '', '', '', '', ''}
    end
    local next = job.arrival and call('ZSCORE', K .. 'boxes', job.recipient)
                     or job.state == 'held' and keptDue(id)
    return {job.state, job.score, job.failedAttempts > 0 and attemptsOf({id})[1] or '0', job.arrival or '', next or '',
            call('HGET', K .. 'error', id) or '', call('HGET', K .. 'origin', id) or '',
            withRecord and call('HGET', job.key, job.field) or ''}
end

-- The state of the job as in docs/job-lifecycle.md.
local function lifecycleStateOf(job)
    local ready = job.state == 'scheduled' and tonumber(job.score) < now + 1
    return ready and 'ready' or job.state
end

-- Why a move may not start from where the job is: its state.
local function conflictReply(job)
    return 'conflict ' .. lifecycleStateOf(job)
end

-- Why an attempt may not make a move: the job's state, and how many attempts have begun.
local function staleReply(job)
    return 'stale ' .. lifecycleStateOf(job) .. ' ' .. (job.state == 'leased' and job.failedAttempts + 1 or job.failedAttempts)
end

-- Why the caller does not have the lease, or nothing. Attempt 0 is whoever has it. `ends`, where it is
-- told, is when the lease must end: an attempt that did not count is given out again under its number.
local function leaseRefusal(job, attempt, ends)
    if attempt == '0' then
        return job.state ~= 'leased' and conflictReply(job) or nil
    end
    local isHolder = job.state == 'leased' and tonumber(attempt) == job.failedAttempts + 1 and
                    ((ends or '') == '' or tonumber(ends) == tonumber(job.score))
    return not isHolder and staleReply(job) or nil
end

-- Whether it is in its lane and due in this millisecond.
local function isDueAt(job, ms)
    return job.state == 'scheduled' and math.floor(tonumber(job.score)) == tonumber(ms)
end

-- Counts the current attempt, so that its number is never current again.
local function countAttempt(job)
    if job.state == 'leased' then
        call('HINCRBY', K .. 'past', job.id, 1)
    end
end

local function setError(job, text)
    if text ~= '' then
        call('HSET', K .. 'error', job.id, text)
    end
end

local function leaveSet(job)
    if job.set then
        call('ZREM', job.set, job.id)
    end
    if job.state == 'leased' then
        freeSlot(job.id, topicOfLane(job.laneName))
    elseif job.state == 'held' then
        addHeldBytes(-job.bytes)
    end
    if job.expires > 0 then
        call('ZREM', K .. 'expiry', job.id)
    end
    if not job.arrival and job.recipient ~= '' and sub(job.laneName, 1, 4) == 'sip:' then
        job.wasReserved = call('ZREM', K .. 'ahead', job.recipient .. '\0' .. job.id) == 1  -- see lib/mailbox_limits.lua
        if job.wasReserved then
            addHeldBytes(-job.bytes)
        end
    end
end

local function leaveMailbox(job)
    if job.arrival and call('ZREM', job.box, job.id) == 1 and call('EXISTS', job.box) == 0 then
        call('ZREM', K .. 'boxes', job.recipient)
    end
end

local knownLanes = {}  -- lanes that this call has added to the set of all lanes

local function enterLane(job, due)
    if not knownLanes[job.laneName] then
        knownLanes[job.laneName] = true
        call('SADD', K .. 'lanes', job.laneName)
    end
    setScore(job.lane, 'lanes', due, job.id, nil, job.laneName)
    if job.wasReserved then
        addHeldBytes(job.bytes)
        call('ZADD', K .. 'ahead', '0', job.recipient .. '\0' .. job.id)
    end
    if job.expires > 0 then
        setScore(K .. 'expiry', 'expiry', job.expires, job.id)
    end
end

-- `ends`: until when it is held if it has no expiry of its own, nil = without end.
local function enterHeld(job, ends)
    addHeldBytes(job.bytes)
    if job.expires > 0 or ends then
        setScore(K .. 'held', 'expiry', job.expires > 0 and job.expires or ends, job.id)
    else
        call('ZADD', K .. 'held', '+inf', job.id)
    end
end

-- The next attempt of a mailbox that is to be postponed until `next`: now, if its recipient has
-- come since its messages were leased, or an operator has released it.
local function nowIfReleased(recipient, next)
    return call('EXISTS', K .. 'came:' .. recipient) == 1 and ARGV[1] or next
end

-- Adds a message behind the others, or at `arrival`; `next` can only bring the mailbox's attempt
-- forward.
local function enterBox(job, next, arrival)
    call('ZADD', job.box, arrival or call('INCR', K .. 'seq'), job.id)
    setNextAttempt(job.recipient, next, 'LT')
end

local kHasOrigin = {dead = true, done = true, held = true}

-- Where restore puts it back: '<state> <score> <arrival> <next attempt of its mailbox>', the last
-- two '-' outside a mailbox; and behind it the origin it had: of a job that had ended before it was
-- trashed, and of one that was held outside a mailbox and keeps its due time. A lease is not given back: its job is
-- ready, or in the mailbox.
local function rememberOrigin(job)
    local state, score = job.state, job.score
    if state == 'leased' or state == 'lost' then
        state, score = job.arrival and 'held' or 'scheduled', job.arrival and 'inf' or ARGV[1]
    end
    local next = job.arrival and call('ZSCORE', K .. 'boxes', job.recipient)
    local origin = concat({state, score, job.arrival or '-', next or '-'}, ' ')
    local previousOrigin = kHasOrigin[state] and call('HGET', K .. 'origin', job.id)
    call('HSET', K .. 'origin', job.id, previousOrigin and origin .. ' ' .. previousOrigin or origin)
end

-- The end of a message without an expiry that a device has (limitLife() of mark.lua), from the score that it had in the
-- set of the held; nil of any other. Of one that was leased earlier versions have noted when it was trashed: that one,
-- which a device has, ends when it is restored.
local function limitedLifeOf(job, score)
    local isFinite = (tonumber(score) or math.huge) < math.huge
    return isFinite and tonumber(call('HGET', K .. 'taken', job.id) or 0) > 0 and score or nil
end

-- Puts a job that is in no set where rememberOrigin() has noted. `arrival`: '-' = into no mailbox, nil = behind the
-- others of its mailbox.
local function enterPlace(job, state, score, arrival, next, previousOrigin)
    call('HDEL', K .. 'origin', job.id)
    if state == 'scheduled' then
        enterLane(job, score)
    elseif state == 'held' then
        if arrival ~= '-' then
            enterBox(job, next ~= '-' and next or ARGV[1], arrival)
        elseif previousOrigin ~= '' then
            call('HSET', K .. 'origin', job.id, previousOrigin)
        end
        enterHeld(job, limitedLifeOf(job, score))  -- last, as in hold.lua
    else
        call('ZADD', K .. kSets[state], score, job.id)
        if previousOrigin ~= '' then
            call('HSET', K .. 'origin', job.id, previousOrigin)
        end
    end
end

local function die(job, reason)
    rememberOrigin(job)
    countAttempt(job)
    leaveSet(job)
    leaveMailbox(job)
    setError(job, reason)
    call('ZADD', K .. 'dead', ARGV[1], job.id)
end

-- Runs `move` on each job of ARGV[kFirst...], `stride` arguments each, and gathers the replies: a
-- move returns its status. One that Redis refuses does not spoil the others.
local function moveEach(stride, move)
    local replies = {}
    for i = kFirst, #ARGV, stride do
        local succeeded, status = pcall(move, unpack(ARGV, i, i + stride - 1))
        if not succeeded then
            status = 'failed ' .. (type(status) == 'table' and status.err or tostring(status))
        end
        replies[#replies + 1] = status
    end
    return replies
end

-- The same for requests that begin with the id of a job: `replyFor` is given the job in its place, if it is there.
local function forEachJob(stride, replyFor)
    return moveEach(stride, function(id, ...)
        local job, refusal = find(id)
        if not job then
            return refusal
        end
        return replyFor(job, ...)
    end)
end
