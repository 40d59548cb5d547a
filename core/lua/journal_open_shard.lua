#!lua flags=allow-oom
--[[
journal_open_shard -- the shard agrees with its journal: from now on it is served.

Transition   none; the lease on the outbox        (docs/journal.md, "Identity")

KEYS[1]  the shard's prefix
ARGV[1]  and the next two as of every script (lib/base.lua), then for each request:
    owner      who compared it
    listening  the token of the recording period in which it was compared
    token      stands for this comparison; never used before
    identity   the shard's from now on
    floor      the last id of its stream that the journal knows: new ones are higher
    newest     the highest arrival number that the journal knows of this shard

Returns  for each request "open" | "lost" (another one records this shard) | "changed" (it was emptied, or is
         another one, since it was compared)

Touches  store serving:* events seq; reads journal, and INFO server

Why      The run id says on which server process the comparison was made. Ids of events and arrival
         numbers go on behind all that the journal has, or what is new would stand before the old.
]]
--#include lib/base.lua
guard({journal = 'hash', events = 'stream', store = 'hash', seq = 'string'})

-- The last id that the stream has given out.
local function lastId()
    local info = call('XINFO', 'STREAM', K .. 'events')
    for n = 1, #info, 2 do
        if info[n] == 'last-generated-id' then
            return info[n + 1]
        end
    end
end

local function isBelow(id, floor)
    local ms, seq = string.match(id, '^(%d+)-(%d+)$')
    local floorMs, floorSeq = string.match(floor, '^(%d+)-(%d+)$')
    ms, floorMs = tonumber(ms), tonumber(floorMs)
    return ms < floorMs or (ms == floorMs and tonumber(seq) < tonumber(floorSeq))
end

return answerEach(6, function(owner, listenToken, token, identity, floor, newest)
    if call('HGET', K .. 'journal', 'owner') ~= owner then
        return 'lost'
    end
    if call('HGET', K .. 'journal', 'since') ~= listenToken then  -- `since` names the listening
        return 'changed'
    end
    if isBelow(lastId(), floor) then
        call('XSETID', K .. 'events', floor)
    end
    if tonumber(newest) > tonumber(call('GET', K .. 'seq') or 0) then
        call('SET', K .. 'seq', newest)
    end
    local oldToken = call('HGET', K .. 'store', 'token')
    if oldToken then
        call('DEL', K .. 'serving:' .. oldToken)
    end
    call('HDEL', K .. 'store', 'phase', 'done', 'of')
    call('HSET', K .. 'store', 'identity', identity, 'token', token,
         'run', string.match(call('INFO', 'server'), 'run_id:(%w+)'))
    call('SET', K .. 'serving:' .. token, ARGV[1])
    return 'open'
end)
