-- open: let holds be taken in an epoch that was seeded.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that was seeded
--
-- Returns    {'OPEN'} | {'SUPERSEDED'} another epoch has begun, or another server is there
-- Writes     the state, and a line in the journal, the first time
-- Replay     OPEN again
-- Cost       O(1)

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local prefix = string.sub(KEYS[1], 1, -5)
local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch')

if meta[2] ~= ARGV[1] or meta[3] ~= ARGV[2] then
  return {'SUPERSEDED'}
end
if meta[1] == 'OPEN' then
  return {'OPEN'}
end
redis.call('HSET', KEYS[1], 'state', 'OPEN')
redis.call('UNLINK', prefix .. 'counted')
redis.call('XADD', KEYS[2], '*', 'line',
  ARGV[2] .. '\t' .. string.format('%.0f', now) .. '\t\t\t\t\t\tOPENED\t')
return {'OPEN'}
