-- What tells a delivery run that its recipient has come meanwhile: the key `came:<recipient>`, while the run has messages
-- of the mailbox leased.
--
-- Gives  kCameTtl kMessagesChecked
--#include lib/base.lua

local kCameTtl = 86400000  -- ms; the next claim deletes the key, and no delivery run is longer
local kMessagesChecked = 200  -- the oldest messages of a mailbox, which suffice to find leased ones
