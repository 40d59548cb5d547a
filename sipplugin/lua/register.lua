#!lua flags=allow-oom
--[[
register -- one REGISTER's wish for the bindings of one AoR, whole or not at all.

Transition   none: bindings are not jobs (docs/redis-schema.md, key "aor")

KEYS[1]  aor      HASH  binding key -> record, JSON with contact, call_id, cseq, expires_ms ...

ARGV[1]  now      ms since epoch
ARGV[2]  call_id  of the REGISTER
ARGV[3]  cseq     of the REGISTER
ARGV[4]  scope    "all": every binding is removed first (Contact: *) | "some"
ARGV[5]  most     bindings an AoR may have
ARGV[6]  puts     number of bindings to put; then that many pairs: key, record; then keys to remove

Returns  the living records afterwards | "stale" (a binding it touches was made by a later request
         of the same Call-ID, RFC 3261 section 10.3 step 7) | "full"

Why      Two REGISTERs of one user may be on their way at once: order is decided where they meet.
]]
local now, callId, cseq = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local scope, most, puts = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])

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
end
for i = 7 + 2 * puts, #ARGV do
    touched[ARGV[i]] = true
end
for key in pairs(touched) do
    local record = living[key]
    if record and record.call_id == callId and record.cseq > cseq then
        return 'stale'
    end
end

local count = 0
for key in pairs(living) do
    count = count + (touched[key] and 0 or 1)
end
if count + puts > most and puts > 0 then
    return 'full'
end

for key in pairs(touched) do
    dead[#dead + 1] = key
end
for _, key in ipairs(dead) do
    redis.call('HDEL', KEYS[1], key)
end
for i = 7, 6 + 2 * puts, 2 do
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end

local records = redis.call('HVALS', KEYS[1])
local last = 0
for _, text in ipairs(records) do
    last = math.max(last, cjson.decode(text).expires_ms)
end
if last > 0 then
    redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', last))
end
return records
