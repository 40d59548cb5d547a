#!lua
--[[
share -- a place among the scheduled messages of one sender.

Transition   none: a place is no job (docs/redis-schema.md, key "share:<sender>")

KEYS[1]  share    ZSET    id of the message -> when its place was taken, ms; once it is stored, when that was noted
                          less the time that a reservation may stand

ARGV[1]  now      ms since epoch
ARGV[2]  id       of the message that wants a place
ARGV[3]  most     places that a sender may have
ARGV[4]  keep     ms that this message may be pending: the key lives at least so long
ARGV[5]  before   ms: places whose score is at most that, and whose messages are not named, are given back
                  first; "" = none. It is that time before one looked which messages are pending, so that
                  what was stored meanwhile, and is not named for that, keeps its place
then the ids of the sender's messages that are pending

Returns  "ok" | "full" (there is no place for it)

Why      Counting before the push would let messages through that come together; and they come by
         several daemons and go to several shards. A message that ends does not give its place back, so
         that there is never one too many; whoever would be refused looks which are still pending.
]]
local share, now, id, most, keep = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

if ARGV[5] ~= '' then
    local pending = {}
    for n = 6, #ARGV do
        pending[ARGV[n]] = true
    end
    for _, holderId in ipairs(redis.call('ZRANGEBYSCORE', share, '-inf', ARGV[5])) do
        if not pending[holderId] then
            redis.call('ZREM', share, holderId)
        end
    end
end
if not redis.call('ZSCORE', share, id) and redis.call('ZCARD', share) >= most then
    return 'full'
end
redis.call('ZADD', share, now, id)
if redis.call('PTTL', share) < tonumber(keep) then
    redis.call('PEXPIRE', share, keep)
end
return 'ok'
