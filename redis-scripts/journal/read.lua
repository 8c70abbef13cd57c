-- read: the next lines of a pool's journal, and the epoch of the memory that they are in.
--
-- KEYS[1]    journal  {p:<pool>}:journal   stream, one field: line
-- KEYS[2]    meta     {p:<pool>}:meta      hash: epoch, run_id
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    after    the id of a line; those behind it are read, from 0-0 all
-- ARGV[3]    count    how many lines at most
--
-- Returns    {'LINES', epoch, id, line, …}  none if there are none; also while the pool is being
--                                           seeded, since what survived is drained first
--            | {'UNSEEDED'}
-- Writes     nothing
-- Replay     LINES again
-- Cost       O(count)

local meta = redis.call('HMGET', KEYS[2], 'run_id', 'epoch')
if meta[1] ~= ARGV[1] then
  return {'UNSEEDED'}
end
local reply = {'LINES', meta[2]}
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '(' .. ARGV[2], '+', 'COUNT', ARGV[3])) do
  reply[#reply + 1] = entry[1]
  reply[#reply + 1] = entry[2][2]
end
return reply
