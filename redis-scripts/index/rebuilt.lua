-- rebuilt: mark the index as complete on this server.
--
-- KEYS[1]    server   {holdfast}:server   string: the run id of the server that the index was written on
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    asked    the run id of the server that the index was rebuilt for
--
-- Returns    {'REBUILT'} | {'MOVED'} another server answers now
-- Writes     server, with REBUILT
-- Replay     REBUILT again
-- Cost       O(1)

if ARGV[1] ~= ARGV[2] then
  return {'MOVED'}
end
redis.call('SET', KEYS[1], ARGV[1])
return {'REBUILT'}
