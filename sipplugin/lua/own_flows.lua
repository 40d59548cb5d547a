#!lua flags=allow-oom
--[[
own_flows -- the heartbeat of a daemon by one of its names.

Transition   none: it is about no job (docs/redis-schema.md, key "flows:<owner>")

KEYS[1]  flows  STRING  empty: the daemon of that name lives

ARGV[1]  life   ms for which it counts as living

Returns  "ok"

Why      A Redis without memory refuses SET from a client, not from a script that says so: a daemon that
         starts there would be taken for dead, and the devices that only it can reach with it.
]]
redis.call('SET', KEYS[1], '', 'PX', tonumber(ARGV[1]))
return 'ok'
