-- status: the state of a pool, and whether it has work.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal   stream
-- ARGV[1]    run_id   of the server at the other end of this connection
--
-- Returns    {'LOOK', state, lines, due} the state is OPEN, SEEDING, MOVED or LOST; due is when the
--            first hold is due, or nothing
-- Writes     nothing
-- Replay     LOOK, with the current state
-- Cost       O(1)

local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id')
local state = not meta[2] and 'LOST' or meta[2] ~= ARGV[1] and 'MOVED' or meta[1]
local first = redis.call('ZRANGE', string.sub(KEYS[1], 1, -5) .. 'due', 0, 0, 'WITHSCORES')[2]
return {'LOOK', state, string.format('%.0f', redis.call('XLEN', KEYS[2])),
  first and string.format('%.0f', first) or ''}
