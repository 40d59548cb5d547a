-- What the messages that wait take in all: the hash `held_bytes`. Its field `bytes` has the bytes of the
-- records in `held` and of those with a place in `ahead`, `counted` when they were last counted, ms.
-- It is raised before a place is taken and lowered behind it, so that a script cut short leaves it
-- too high, never too low; lib/mailbox_room.lua counts anew before it refuses a message. `largest` has the bytes of
-- the largest record that has had a place in a mailbox or in `ahead`: a mailbox of which so many times its messages
-- are within its limit need not be weighed.
--
-- Gives  addHeldBytes largestRecord noteLargest setLargest
--#include lib/base.lua

local function addHeldBytes(bytes)
    call('HINCRBY', K .. 'held_bytes', 'bytes', string.format('%d', bytes))
end

local largest  -- nil = not asked for yet, false = not known: a store of an earlier version

local function largestRecord()
    if largest == nil then
        largest = tonumber(call('HGET', K .. 'held_bytes', 'largest')) or false
    end
    return largest
end

local function setLargest(bytes)
    largest = bytes
    call('HSET', K .. 'held_bytes', 'largest', string.format('%d', bytes))
end

-- Before a record of so many bytes takes its place.
local function noteLargest(bytes)
    if largestRecord() and bytes > largest then
        setLargest(bytes)
    end
end
