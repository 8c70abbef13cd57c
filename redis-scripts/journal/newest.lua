-- newest: the newest entry of a pool's journal, to drain up to it while others are added.
--
-- KEYS[1]    meta     {p:<pool>}:meta      hash: run_id
-- KEYS[2]    journal  {p:<pool>}:journal   stream, one field: lines
-- ARGV[1]    run_id   of the server at the other end of this connection
--
-- Returns    {'NEWEST\t<id>'} | {'EMPTY'} | {'UNSEEDED'}
-- Writes     nothing
-- Replay     NEWEST, perhaps of a later entry
-- Cost       O(1)

if redis.call('HGET', KEYS[1], 'run_id') ~= ARGV[1] then
  return {'UNSEEDED'}
end
local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
if not newest then
  return {'EMPTY'}
end
return {'NEWEST\t' .. newest[1]}
