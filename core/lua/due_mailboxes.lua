#!lua flags=no-writes
--[[
due_mailboxes -- which mailboxes are to be tried.

Transition   none: it only looks

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    max        mailboxes

Returns  for each request a flat list, earliest first: recipient, next attempt, ms, ...

Reads    boxes

Why      A mailbox stays in the set until it is empty; claim_mailbox moves its next attempt.
]]
--#include lib/base.lua

return answerEach(1, function(max)
    return call('ZRANGEBYSCORE', K .. 'boxes', '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, max)
end)
