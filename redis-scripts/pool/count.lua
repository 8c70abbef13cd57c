-- count: how a pool stands.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- ARGV[1]    run_id   of the server at the other end of this connection
--
-- Returns    {'COUNTS', epoch, version, held, sold} | {'UNSEEDED', why}
-- Writes     nothing
-- Replay     COUNTS, as they are by then
-- Cost       O(1)

-- include: shared/now
-- include: shared/meta
-- include: shared/open

return {'COUNTS', meta[3], format('%d', version), format('%d', held),
  redis.call('HGET', KEYS[1], 'sold') or '0'}
