-- What the messages that wait take in all: the hash `held_bytes`. Its field `bytes` has the bytes of the
-- records in `held` and of those with a place in `ahead`, `counted` when they were last counted, ms.
-- It is raised before a place is taken and lowered behind it, so that a script cut short leaves it
-- too high, never too low; lib/mailbox_room.lua counts anew before it refuses a message, unless it
-- has done so lately or there are too many.
--
-- Gives  addHeldBytes
--#include lib/base.lua

local function addHeldBytes(bytes)
    call('HINCRBY', K .. 'held_bytes', 'bytes', string.format('%d', bytes))
end
