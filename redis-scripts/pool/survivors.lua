-- survivors: the live holds that a new epoch finds in memory, a part of them at a time.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    due      {p:<pool>}:due    sorted set: fence by lease end
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3]    from     how many to skip  ARGV[4] to  the last one wanted
--
-- Returns    {'SURVIVORS', fence…} | {'SUPERSEDED'}
-- Writes     nothing
-- Replay     SURVIVORS
-- Cost       O(log due + asked for)

-- include: shared/now
-- include: shared/life
-- include: shared/seeding

local survivors = {'SURVIVORS'}
for i, fence in ipairs(redis.call('ZRANGE', KEYS[2], ARGV[3], ARGV[4])) do
  survivors[i + 1] = fence
end
return survivors
