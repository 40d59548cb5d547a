#!lua flags=allow-oom
--[[
register -- one REGISTER's wish for the bindings of one AoR, whole or not at all.

Transition   none: bindings are not jobs (docs/redis-schema.md, key "aor")

KEYS[1]  aor      HASH    binding key -> record, JSON with contact, call_id, cseq, expires_ms ...
KEYS[2]  events   STREAM  the shard's outbox
KEYS[3]  journal  HASH    there while a journal listens: how many entries the outbox may keep
KEYS[4]  told     STRING  what the journal was told of this AoR, for as long as that is enough
KEYS[5]  seen     HASH    binding key -> what people are shown of the device, also when it is gone

ARGV[1]  now      ms since epoch
ARGV[2]  call_id  of the REGISTER
ARGV[3]  cseq     of the REGISTER
ARGV[4]  scope    "all": every binding is removed first (Contact: *) | "some"
ARGV[5]  most     bindings an AoR may have
ARGV[6]  puts     number of bindings to put; then that many pairs: key, record; then for each that is
                  removed a pair: key, reg_id ("" = any)

Returns  the living records afterwards | "stale" (a binding it touches was made by a later request
         of the same Call-ID, RFC 3261 section 10.3 step 7) | "full" (it puts more than an AoR may have)

Why      Two REGISTERs of one user may be on their way at once: order is decided where they meet.
         A device has one binding, by its instance: its newest flow. The end of an older one, with another
         reg-id, is not the end of that. An earlier version had a key for each reg-id: those go too.
         Where there would be too many, those go that were refreshed longest ago: a phone that has a new
         contact each time it starts must not lock its user out until its old ones expire.
         The journal is told of new, other and removed contacts, and of a refresh only when less
         than half of its time is known there: a phone that refreshes every minute costs no more
         than one that does so every half an hour.
]]
--#include lib/seen.lua
local now, callId, cseq = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local scope, most, puts = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])

-- What a registration is, without what each refresh changes.
local function digestOf(records)
    local parts = {}
    for n, text in ipairs(records) do
        local record = cjson.decode(text)
        local path = type(record.path) == 'table' and table.concat(record.path, ' ') or ''
        parts[n] = table.concat({tostring(record.contact), tostring(record.instance), tostring(record.reg_id),
                                 tostring(record.q), path, tostring(record.source), tostring(record.transport)}, '\0')
    end
    table.sort(parts)
    return redis.sha1hex(table.concat(parts, '\1'))
end

-- One entry of the event stream: the hash as it is, and until when it lives; 0 = it is gone. Never an
-- error: what has been written would stay.
local function tell(last, records, before)
    local backlog = redis.pcall('HGET', KEYS[3], 'backlog')
    if type(backlog) ~= 'string' then
        return
    end
    local digest = #records > 0 and digestOf(records) or ''
    local known = redis.pcall('GET', KEYS[4])
    if known == digest or (digest == '' and before == 0) then
        return
    end
    local name = string.sub(KEYS[1], #KEYS[2] - 5)  -- both begin with the shard's prefix; "events"
    local value = cmsgpack.pack(redis.call('HGETALL', KEYS[1]))
    redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', backlog, '*', 't', 'setting', 'at', ARGV[1], 'key', name,
               'until', string.format('%.0f', last), 'value', value)
    if digest == '' then
        redis.pcall('DEL', KEYS[4])
    else
        redis.pcall('SET', KEYS[4], digest, 'PX', string.format('%.0f', math.max(1, (last - now) / 2)))
    end
end

redis.call('HLEN', KEYS[5])  -- refuses a key of another type before anything is written
local living, dead = {}, {}
local flat = redis.call('HGETALL', KEYS[1])
for i = 1, #flat, 2 do
    local record = cjson.decode(flat[i + 1])
    if record.expires_ms > now then
        living[flat[i]] = record
    else
        dead[#dead + 1] = flat[i]
    end
end

local touched = {}
if scope == 'all' then
    for key in pairs(living) do
        touched[key] = true
    end
end
for i = 7, 6 + 2 * puts, 2 do
    touched[ARGV[i]] = true
    for key, record in pairs(living) do
        if record.instance == ARGV[i] then
            touched[key] = true
        end
    end
end
for i = 7 + 2 * puts, #ARGV, 2 do
    local record = living[ARGV[i]]
    if ARGV[i + 1] == '' or not record or record.reg_id == ARGV[i + 1] then
        touched[ARGV[i]] = true
    end
    for key, its in pairs(living) do
        if its.instance == ARGV[i] and (ARGV[i + 1] == '' or its.reg_id == ARGV[i + 1]) then
            touched[key] = true
        end
    end
end
for key in pairs(touched) do
    local record = living[key]
    if record and record.call_id == callId and record.cseq > cseq then
        return 'stale'
    end
end

if puts > most then
    return 'full'
end
local others = {}
for key, record in pairs(living) do
    if not touched[key] then
        others[#others + 1] = {key = key, updated = tonumber(record.updated_ms) or 0}
    end
end
if puts > 0 and #others + puts > most then
    table.sort(others, function(a, b)
        return a.updated < b.updated or (a.updated == b.updated and a.key < b.key)
    end)
    for n = 1, #others + puts - most do
        dead[#dead + 1] = others[n].key
    end
end

for key in pairs(touched) do
    dead[#dead + 1] = key
end
local put = {}
for i = 7, 6 + 2 * puts, 2 do
    put[ARGV[i]] = true
end
for _, key in ipairs(dead) do
    redis.call('HDEL', KEYS[1], key)
    if not put[key] then
        noteGone(KEYS[5], now, key)
    end
end
for i = 7, 6 + 2 * puts, 2 do
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    local record = cjson.decode(ARGV[i + 1])
    noteSeen(KEYS[5], now, ARGV[i], {contact = record.contact, agent = record.agent, expires = record.expires_ms},
             living[ARGV[i]] ~= nil)
end

local records = redis.call('HVALS', KEYS[1])
local last = 0
for _, text in ipairs(records) do
    last = math.max(last, cjson.decode(text).expires_ms)
end
if last > 0 then
    redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', last))
end
keepSeen(KEYS[5], now, #records, last)
tell(last, records, #flat)
return records
