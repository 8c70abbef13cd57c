-- rebuilt: the index has all pools again that Postgres knows live holds of.
--
-- KEYS[1]    server   {holdfast}:server   string: the run id of the server that the index was made on
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    asked    the run id of the server that the index was rebuilt for
--
-- Returns    {'REBUILT'} | {'MOVED'} another server answers by now
-- Writes     server, with REBUILT
-- Replay     REBUILT again
-- Cost       O(1)

if ARGV[1] ~= ARGV[2] then
  return {'MOVED'}
end
redis.call('SET', KEYS[1], ARGV[1])
return {'REBUILT'}
