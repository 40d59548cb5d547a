-- A job that is pushed, beside what is there already. `wish` is what its caller asks for, a packed map:
--   replace    true: it takes the place of a job of its id, whatever state that is in
--   renew      true: it takes the place of one that has ended
--   once, ms   its once key, and for how long that is remembered
--   by, why    the operator who pushes it, and the reason
-- and of a message, room (true: its mailbox has limits), limit, bytes, total and makesRoom, as lib/mailbox_limits.lua
-- says. What is missing is not asked for.
--
-- Needs  finished: finishedAnswer forgetFinished; index: index unindex; job: find countAttempt
--        leave leaveBox each; once: recallOnce rememberOnce; outbox: append
-- Gives  unpackWish existing vacate insert pushEach

local function unpackWish(packed)
    local wish = packed ~= '' and cmsgpack.unpack(packed) or {}
    wish.once = wish.once or ''
    return wish
end

local kEnded = {dead = true, trashed = true, done = true}

-- The job that it replaces, or nil and the reason why it is not stored, or nothing.
local function existing(id, record, wish)
    local first = wish.once ~= '' and recallOnce({wish.once}, wish.ms)[1]
    if first then
        return nil, 'same ' .. first
    end
    local key, field = addressOf(id)
    local old = call('HGET', key, field)
    if not old then
        return nil, not wish.replace and finishedAnswer(id, record) or nil
    end
    local ended = wish.renew and find(id)
    if ended and kEnded[ended.state] then
        return ended
    end
    if sub(old, kContent) == sub(record, kContent) then
        return nil, 'same ' .. id
    end
    if not wish.replace then
        return nil, 'conflict'
    end
    return find(id)
end

-- Takes `old`, which may be nil, away from where the job is about to go.
local function vacate(job, wish, old)
    if not old then
        return
    end
    unindex({job.id}, {call('HGET', job.key, job.field)})
    countAttempt(old)
    if wish.renew and kEnded[old.state] then
        call('HDEL', K .. 'past', job.id)
        call('HDEL', K .. 'forgotten', job.id)
    end
    leave(old)
    leaveBox(old)
    call('HDEL', K .. 'error', job.id)
    call('HDEL', K .. 'origin', job.id)
    call('HDEL', K .. 'taken', job.id)
end

-- Writes the record of a job that has its place; the once key behind it, or half a script would leave
-- a key that answers for a job which is not there.
local function insert(job, record, wish)
    forgetFinished(job.id, record)
    index({job.id}, {record})
    call('HSET', job.key, job.field, record)
    if wish.once ~= '' then
        rememberOnce({wish.once, job.id}, wish.ms)
    end
end

-- Pushes job by job: one that is refused does not spoil the others. `pushOne` answers the status, and
-- the operator and the reason where there is one.
local function pushEach(stride, pushOne)
    local entries, byWhom = {}, {}
    local replies = each(stride, function(id, ...)
        local status, by, why = pushOne(id, ...)
        if status == 'ok' then
            local who = cmsgpack.pack({by or '', why or ''})
            if not byWhom[who] then
                byWhom[who] = {ids = {}, by = by, why = why}
                entries[#entries + 1] = byWhom[who]
            end
            table.insert(byWhom[who].ids, id)
        end
        return status
    end)
    for _, entry in ipairs(entries) do
        append('push', byHash(entry.ids), entry.by, entry.why)
    end
    return replies
end
