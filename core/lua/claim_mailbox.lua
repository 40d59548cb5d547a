#!lua flags=allow-oom
--[[
claim_mailbox -- give out the oldest messages of a mailbox.

Transition   held -> leased        (docs/job-lifecycle.md, row "claim (mailbox)")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    recipient
    max        jobs
    bytes      of their records, 0 = any; one is given out in any case

Returns  for each request a flat list: now (and which topic wants a slot of other shards, lib/topic_limits.lua),
         then for each job id, due score, failed attempts, record

Touches  box:* boxes came:* held held_bytes lease past j:* events wake; paused limits rate busy:* parked:*;
         reads slots:*

Why      The rules are those of lib/mailbox.lua: one delivery run a mailbox, in order.
]]
--#include lib/mailbox.lua
guardMailboxes()

local requests = {}
answerEach(3, function(recipient, max, bytes)
    local ids = oldestOf(recipient, tonumber(max))
    requests[#requests + 1] = {recipient = recipient, max = tonumber(max), bytes = tonumber(bytes), ids = ids}
end)
claimEach(requests)
local replies = {}
for n, request in ipairs(requests) do
    if request.failed then
        error(request.failed)
    end
    replies[n] = request.reply
end
appendClaims()
return replies
