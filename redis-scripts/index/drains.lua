-- drains: remove pools whose journals were empty, and list pools that were written to.
--
-- KEYS[1]    drain    {holdfast}:drain   sorted set: pool by when it was last noted, in µs
-- ARGV[1]    run_id   not used: the index belongs to no epoch
-- ARGV[2]    after    a score; pools with higher ones are read, from 0 all
-- ARGV[3]    count    maximum of pools
-- ARGV[4..]  emptied  pools to remove, each with the score that was read before its journal
--
-- Returns    {'DRAINS', pool, score, …} in the order of the scores
-- Writes     the removals; a pool with another score was noted since and stays
-- Replay     DRAINS again
-- Cost       O((count + emptied) × log(pools in the index))

for i = 4, #ARGV, 2 do
  local score = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if score and tonumber(score) == tonumber(ARGV[i + 1]) then
    redis.call('ZREM', KEYS[1], ARGV[i])
  end
end
return {'DRAINS', unpack(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[2], '+inf',
  'WITHSCORES', 'LIMIT', 0, ARGV[3]))}
