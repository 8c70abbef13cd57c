-- recall: bring token entries back that are still in their window.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2..]  token    {p:<pool>}:tok:<caller>:<token>
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  entries  for each token its value and the moment, in ms, at which its window ends
--
-- Returns    {'RECALLED'} | {'SUPERSEDED'}
-- Writes     the entries that are not there; what is there keeps its time
-- Replay     RECALLED
-- Cost       O(tokens)

-- include: shared/now
-- include: shared/life
-- include: shared/seeding

for i = 2, #KEYS do
  local left_ms = tonumber(ARGV[2 * i]) - now
  if left_ms > 0 then
    redis.call('SET', KEYS[i], ARGV[2 * i - 1], 'PX', left_ms, 'NX')
  end
end
return {'RECALLED'}
