#!lua flags=allow-oom
--[[
arrive -- somebody registers: their bindings, whole or not at all, and the first of what has waited for them.

Transition   held -> leased; else the mailbox is due now        (docs/job-lifecycle.md, row "arrive")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (core/lua/lib/base.lua), then for each REGISTER:
    aor       whose bindings, and whose mailbox
    scope     "all": every binding is removed first (Contact: *) | "some" | "none": nothing is kept of it
    call_id
    cseq
    most      bindings an AoR may have
    came      "1" = they can be reached now, "0" = only the bindings change
    max       messages to be given out, 0 = none
    bytes     of their records, 0 = any; one is given out in any case
    contacts  how many follow; for each:
        key     of the binding: its instance, else its contact
        reg_id  of one that is removed: only the one that has it; "" = any
        record  docs/redis-schema.md, "A binding"; "" = it is removed

Returns  for each REGISTER a list: the records of the bindings that live beside those it puts; how many messages
         the mailbox holds; what it gives out, as claim_mailbox answers it
         | "stale" (a binding it touches was made by a later request of the same Call-ID, RFC 3261
         section 10.3 step 7) | "full" (it puts more than an AoR may have)
         | "failed <why>" (Redis refuses a key of this AoR; the others are done)

Touches  aor:* seen:* told:aor:*; devices:* came:*; as claim_mailbox: box:* boxes held held_bytes lease past j:* events wake,
         paused limits rate busy:* parked:*; reads journal slots:*

Why      Two REGISTERs of one user may be on their way at once: order is decided where they meet.
         A device has one binding, by its instance: its newest flow. The end of an older one, with another
         reg-id, is not the end of that. An earlier version had a key for each reg-id: those go too.
         Where there would be too many, those go that were refreshed longest ago: a phone that has a new
         contact each time it starts must not lock its user out until its old ones expire.
         Who comes back has mail more often than not where it matters, all at once after an outage: to release,
         to claim and to be told would be three calls. Where nothing can be given out it is as release_mailbox:
         whoever has messages leased learns that somebody came.
]]
--#include lib/came.lua
--#include lib/mailbox.lua
--#include lib/seen.lua
guardMailboxes()

local kJson = string.byte('{')  -- the first byte of a record of an earlier version
local kFixedArgs, kContactArgs = 9, 3

-- The end of a binding's record: the fields that a refresh does not change.
local function packIdentity(fields)
    local path = type(fields.path) == 'table' and fields.path or {}
    local parts = {struct.pack('>I2B', tonumber(fields.q) or 1000, fields.behind_nat and 1 or 0)}
    for _, name in ipairs({'transport', 'source', 'contact', 'instance', 'reg_id'}) do
        local text = tostring(fields[name] or '')
        parts[#parts + 1] = struct.pack('>I4', #text)
        parts[#parts + 1] = text
    end
    parts[#parts + 1] = struct.pack('>B', #path)
    for _, server in ipairs(path) do
        parts[#parts + 1] = struct.pack('>I4', #server)
        parts[#parts + 1] = server
    end
    return concat(parts)
end

local function bindingOf(text)
    if string.byte(text) == kJson then
        local fields = cjson.decode(text)
        return {text = text, expires = fields.expires_ms, updated = tonumber(fields.updated_ms) or 0,
                cseq = fields.cseq, call_id = fields.call_id, contact = tostring(fields.contact or ''), agent = '',
                instance = fields.instance, reg_id = fields.reg_id, fields = fields}
    end
    local expires, updated, cseq, call_id, _, agent, at = struct.unpack('>xI6I6I4I4c0I4c0I4c0', text)
    local _, _, contact, instance, reg_id = struct.unpack('>xxxI4c0I4c0I4c0I4c0I4c0', text, at)
    return {text = text, expires = expires, updated = updated, cseq = cseq, call_id = call_id,
            contact = contact, agent = agent, instance = instance, reg_id = reg_id, identityAt = at}
end

local function identityOf(binding)
    return binding.fields and packIdentity(binding.fields) or sub(binding.text, binding.identityAt)
end

-- The living bindings by their keys, and the keys of those that have expired.
local function splitByExpiry(flat)
    local living, expired = {}, {}
    for i = 1, #flat, 2 do
        local binding = bindingOf(flat[i + 1])
        if binding.expires > now then
            living[flat[i]] = binding
        else
            expired[#expired + 1] = flat[i]
        end
    end
    return living, expired
end

-- The keys of the living bindings that the contacts at ARGV[first] to ARGV[last] add, change or remove.
local function touchedBy(living, scope, first, last)
    local touched = {}
    for key in pairs(scope == 'all' and living or {}) do
        touched[key] = true
    end
    for i = first, last, kContactArgs do
        local contactKey, reg_id = ARGV[i], ARGV[i + 2] == '' and ARGV[i + 1] or ''
        for key, binding in pairs(living) do
            if (key == contactKey or binding.instance == contactKey) and (reg_id == '' or binding.reg_id == reg_id) then
                touched[key] = true
            end
        end
    end
    return touched
end

-- The keys of the bindings to be removed for `putCount` new ones: those refreshed longest ago.
local function keysToEvict(others, putCount, most)
    table.sort(others, function(a, b)
        return a.updated < b.updated or (a.updated == b.updated and a.key < b.key)
    end)
    local evicted = {}
    for n = 1, #others + putCount - most do
        evicted[others[n].key] = true
    end
    return evicted
end

-- Adds one entry to the event stream: the hash, and until when it lives; 0 = it was deleted. Only when a binding is new,
-- changed or removed, or when a refresh finds that the journal knows less than half of its time: a phone that refreshes
-- every minute costs no more than one that does so every half hour. Never fails, because earlier writes would remain.
local function emitBindings(aor, identities, ends, fieldsBefore)
    local key, toldKey = K .. 'aor:' .. aor, K .. 'told:aor:' .. aor
    table.sort(identities)
    local digest = #identities > 0 and redis.sha1hex(concat(identities)) or ''
    local told = redis.pcall('GET', toldKey)
    if told == digest or (digest == '' and fieldsBefore == 0) then
        return
    end
    local value = cmsgpack.pack(call('HGETALL', key))
    redis.pcall('XADD', K .. 'events', 'MAXLEN', '~', eventsKept(), '*', 't', 'setting', 'at', ARGV[1], 'key', 'aor:' .. aor,
                'until', string.format('%.0f', ends), 'value', value)
    if digest == '' then
        redis.pcall('DEL', toldKey)
    else
        redis.pcall('SET', toldKey, digest, 'PX', string.format('%.0f', math.max(1, (ends - now) / 2)))
    end
end

-- As register(), where the contact at ARGV[first] is added and `old`, the record of it or nil, is all that was there:
-- most who register have one device, and the lists of register() take longer than all commands.
local function registerOnlyDevice(aor, key, old, known, call_id, cseq, first)
    local name, binding, oldBinding = ARGV[first], bindingOf(ARGV[first + 2]), old and bindingOf(old)
    local wasThere = oldBinding and oldBinding.expires > now
    if wasThere and oldBinding.call_id == call_id and oldBinding.cseq > cseq then
        return nil, 'stale'
    end
    call('HSET', key, name, binding.text)
    call('PEXPIREAT', key, string.format('%d', binding.expires))
    trimSeen(aor, known + noteSeen(aor, name, binding, wasThere), 1, binding.expires)
    return {}
end

-- Changes the bindings; returns the records of the unchanged ones, or nil and why nothing was changed.
local function register(aor, scope, call_id, cseq, most, first, last)
    local key = K .. 'aor:' .. aor
    local flat = call('HGETALL', key)
    local fieldsBefore = #flat / 2
    local known = call('HLEN', K .. 'seen:' .. aor)  -- refuses a key of a foreign type, too
    local isOnly = fieldsBefore == 0 or (fieldsBefore == 1 and flat[1] == ARGV[first])
    if isOnly and last == first + kContactArgs - 1 and ARGV[last] ~= '' and most > 0 and not journalBacklog() then
        return registerOnlyDevice(aor, key, flat[2], known, call_id, cseq, first)
    end
    local living, unwanted = splitByExpiry(flat)  -- what is put again stays, though unwanted
    local touched = touchedBy(living, scope, first, last)
    for name in pairs(touched) do
        if living[name].call_id == call_id and living[name].cseq > cseq then
            return nil, 'stale'
        end
    end
    local putIndices, hset = {}, {'HSET', key}
    for i = first, last, kContactArgs do
        if ARGV[i + 2] ~= '' then
            putIndices[#putIndices + 1] = i
            hset[#hset + 1] = ARGV[i]
            hset[#hset + 1] = ARGV[i + 2]
        end
    end
    if #putIndices > most then
        return nil, 'full'
    end
    local others, evicted = {}, {}
    for name, binding in pairs(living) do
        if not touched[name] then
            binding.key = name
            others[#others + 1] = binding
        end
    end
    if #putIndices > 0 and #others + #putIndices > most then
        evicted = keysToEvict(others, #putIndices, most)
    end

    local newBindings, identities, ends, unchanged = {}, {}, 0, {}
    for _, i in ipairs(putIndices) do
        newBindings[ARGV[i]] = bindingOf(ARGV[i + 2])  -- the last, if one contact stands twice
    end
    for _, binding in pairs(newBindings) do
        identities[#identities + 1], ends = identityOf(binding), math.max(ends, binding.expires)
    end
    for _, binding in ipairs(others) do
        if not evicted[binding.key] then
            unchanged[#unchanged + 1] = binding.text
            identities[#identities + 1], ends = identityOf(binding), math.max(ends, binding.expires)
        else
            unwanted[#unwanted + 1] = binding.key
        end
    end
    for name in pairs(touched) do
        if not newBindings[name] then
            unwanted[#unwanted + 1] = name
        end
    end
    if #putIndices > 0 then
        call(unpack(hset))
    end
    local removed = {}
    for _, name in ipairs(unwanted) do
        if not newBindings[name] then
            removed[#removed + 1] = name
        end
    end
    if #removed > 0 then
        call('HDEL', key, unpack(removed))
    end
    if ends > 0 then
        call('PEXPIREAT', key, string.format('%d', ends))
    end
    for _, name in ipairs(removed) do
        noteGone(aor, name)
    end
    for name, binding in pairs(newBindings) do
        known = known + noteSeen(aor, name, binding, living[name] ~= nil)
    end
    trimSeen(aor, known, #identities, ends)
    if journalBacklog() then
        emitBindings(aor, identities, ends, fieldsBefore)
    end
    return unchanged
end

local arrived = {}  -- whose mailbox holds messages: requests for claimEach(), and which reply is theirs

-- Reads their mailbox, for releaseMailboxes(); returns how many messages it holds.
local function readMailbox(aor, max, bytes, replyIndex)
    local ids, waiting = {}, nil
    if max > 0 then
        ids, waiting = oldestOf(aor, max)
    else
        waiting = call('ZCARD', K .. 'box:' .. aor)
    end
    if waiting > 0 then
        arrived[#arrived + 1] = {recipient = aor, max = max, bytes = bytes, ids = ids, at = replyIndex}
    end
    return waiting
end

local function failedBy(problem)
    return 'failed ' .. (type(problem) == 'table' and problem.err or tostring(problem))
end

-- Releases the mailboxes: their devices are tried now, and messages are given out.
local function releaseMailboxes()
    local devices, claims = {}, {}
    for n, request in ipairs(arrived) do
        devices[n] = devicesHash(request.recipient)
    end
    local anyDevices = call('EXISTS', unpack(devices)) > 0
    for _, request in ipairs(arrived) do
        local released, why = true, nil
        if anyDevices then
            released, why = pcall(makeDevicesDue, request.recipient)
        end
        request.failed = not released and why or nil
        if released and request.max > 0 then
            claims[#claims + 1] = request
        end
    end
    claimEach(claims)
    appendClaims()
end

-- That they came is remembered where nothing was given out.
local function noteCome(request)
    local messages = request.reply or {}
    if #messages < 2 then  -- no message, or only the word that a topic needs a slot
        call('SET', K .. 'came:' .. request.recipient, ARGV[1], 'PX', kCameTtl)
        if request.max == 0 then
            setNextAttempt(request.recipient, now)
        end
    end
end

local function arriveOne(first, last, aor, scope, call_id, cseq, most, came, max, bytes, replyIndex)
    local unchanged, refusal = {}, nil
    if scope ~= 'none' then
        unchanged, refusal = register(aor, scope, call_id, tonumber(cseq), tonumber(most), first, last)
    end
    if refusal then
        return refusal
    end
    local waiting = came == '1' and readMailbox(aor, tonumber(max), tonumber(bytes), replyIndex) or 0
    return {unchanged, waiting, {}}
end

local requests = 0
local replies = answerLists(kFixedArgs, kContactArgs, function(first, last, aor, scope, call_id, cseq, most, came, max, bytes)
    requests = requests + 1
    local succeeded, reply = pcall(arriveOne, first, last, aor, scope, call_id, cseq, most, came, max, bytes, requests)
    return succeeded and reply or failedBy(reply)
end)
if #arrived > 0 then
    releaseMailboxes()
end
local lastRequestOf = {}  -- of the requests of each recipient the last one says how the mailbox is left
for _, request in ipairs(arrived) do
    if request.failed then
        replies[request.at] = failedBy(request.failed)
    else
        replies[request.at][3] = request.reply or {}
        lastRequestOf[request.recipient] = request
    end
end
for _, request in pairs(lastRequestOf) do
    noteCome(request)
end
return replies
