-- load: bring a part of the catalogue into an epoch that is being seeded.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    catalogue {p:<pool>}:catalogue   hash: item to version, and SOLD or CLAIMED if taken
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  entries  item and value by turns
--
-- Returns    {'LOADED'} | {'SUPERSEDED'} the epoch is another's by now, or open
-- Writes     the entries whose version is higher than what is there, and how many are sold
-- Replay     LOADED
-- Cost       O(entries)

-- include: shared/meta
-- include: shared/seeding
-- include: shared/versions

local sold = tonumber(redis.call('HGET', KEYS[1], 'sold') or '0')
for i = 3, #ARGV, 2 do
  local present = redis.call('HGET', KEYS[2], ARGV[i])
  if version_of(ARGV[i + 1]) > version_of(present) then
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
    sold = sold + sold_in(ARGV[i + 1]) - sold_in(present)
  end
end
redis.call('HSET', KEYS[1], 'sold', text(sold))
return {'LOADED'}
