#!lua flags=no-writes
--[[
serving -- whether this shard may be served, and by which token scripts prove that they know it.

Transition   none; it only looks        (docs/journal.md, "Identity")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    ""

Returns  for each request the token, or {"", phase, done, of} when it is not served: why, and how far it
         is brought back (docs/redis-schema.md, `Kstore`)

Reads    store serving:<token>, and INFO server

Why      A server that was restarted, emptied or exchanged must not be written to before its journal
         has been asked; whoever connects anew asks this first, and from then on each of its scripts
         checks the token.
]]
--#include lib/serving.lua

return answerEach(1, function()
    local token = servingToken()
    if token ~= '' then
        return token
    end
    local progress = call('HMGET', K .. 'store', 'phase', 'done', 'of')
    return {'', progress[1] or '', progress[2] or '0', progress[3] or '0'}
end)
