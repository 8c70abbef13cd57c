-- vitals: how much a pool holds, and how much of its journal waits for Postgres.
--
-- KEYS[1]    meta     {p:<pool>}:meta      hash: state, epoch, run_id
-- KEYS[2]    journal  {p:<pool>}:journal   stream
-- KEYS[3]    due      {p:<pool>}:due       sorted set: fence by lease end in ms
-- ARGV[1]    run_id   of the server at the other end of this connection
--
-- Returns    {'VITALS', epoch, lines, holds, oldest_due, oldest_line, now}  the last three are
--                        moments in ms; of what there is none of, now
--            | {'UNSEEDED'}
-- Writes     nothing
-- Replay     VITALS again, of another now
-- Cost       O(log(holds))

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch')
if meta[1] ~= 'OPEN' or meta[2] ~= ARGV[1] then
  return {'UNSEEDED'}
end
local lines = redis.call('XLEN', KEYS[2])
local holds = redis.call('ZCARD', KEYS[3])
local due = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
return {'VITALS', meta[3], string.format('%.0f', lines), string.format('%.0f', holds),
  due and string.format('%.0f', due) or now, first and string.match(first[1], '^%d+') or now, now}
