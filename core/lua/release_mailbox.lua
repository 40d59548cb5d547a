#!lua flags=allow-oom
--[[
release_mailbox -- the recipient can be reached.

Transition   held: its mailbox is due now        (docs/job-lifecycle.md, row "release (mailbox)")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    recipient

Returns  for each request how many messages the mailbox holds, 0 = no mailbox

Touches  boxes came:* devices:* wake

Why      The messages stay held, in order, so no job changes its state and no event is written;
         claim_mailbox gives them out, but none while a delivery run has some of them leased. So it is noted in
         `came` that the recipient has registered: otherwise that run, which has tried an older contact,
         would postpone the mailbox when it ends.
]]
--#include lib/release.lua
guard({boxes = 'zset'})

return answerEach(1, function(recipient)
    local count = call('ZCARD', K .. 'box:' .. recipient)
    if count > 0 then
        releaseMailbox(recipient, true)
    end
    return count
end)
