#!lua flags=no-writes
--[[
due_mailboxes -- which mailboxes are to be tried.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  now            ms since epoch
ARGV[2]  events kept    entries, not used
ARGV[3]  worker         who calls, not used
then for each request:
    max        mailboxes

Returns  for each request a flat list, earliest first: recipient, next attempt, ms, ...

Reads    boxes

Why      A mailbox stays in the set until it is empty; claim_mailbox moves its next attempt.
]]
--#include lib/base.lua

local replies = {}
for i = kFirst, #ARGV do
    replies[#replies + 1] = call('ZRANGEBYSCORE', K .. 'boxes', '-inf', ARGV[1], 'WITHSCORES',
                                 'LIMIT', 0, ARGV[i])
end
return replies
