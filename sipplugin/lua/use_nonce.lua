#!lua flags=allow-oom
--[[
use_nonce -- one use of a nonce of digest authentication, counted once and for all.

Transition   none: a nonce is no job (docs/redis-schema.md, key "sip_nonce:<nonce>")

KEYS[1]  uses     HASH  nonce count -> the request that came with it

ARGV[1]  count    nc of RFC 7616, a number
ARGV[2]  request  what tells this request from others
ARGV[3]  left     ms that the nonce still lives
ARGV[4]  most     uses that a nonce may have

Returns  "first" (and it is remembered) | "repeated" (this very request had that count before: a
         retransmission) | "replayed" (another request had it) | "worn" (used often enough)

Why      A request that was overheard could be sent again with another body, to another daemon too.
         Only clients that have proved to know a password come here, so that nobody else can fill it.
]]
local uses, count, request = KEYS[1], ARGV[1], ARGV[2]
local left, most = tonumber(ARGV[3]), tonumber(ARGV[4])

local before = redis.call('HGET', uses, count)
if before then
    return before == request and 'repeated' or 'replayed'
end
if redis.call('HLEN', uses) >= most then
    return 'worn'
end
redis.call('HSET', uses, count, request)
redis.call('PEXPIRE', uses, left)
return 'first'
