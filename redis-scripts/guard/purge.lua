-- purge: remove some of what is no longer under guard.
--
-- KEYS[1]    recorded    {g:<guard>}:recorded   sorted set: identity by recorded_at in ms
-- ARGV[1]    run_id      not looked at: a guard that lost its memory starts with an empty one
-- ARGV[2]    elapsed_at  what was recorded then or earlier, in ms, is no longer under guard
-- ARGV[3]    most        how many to remove at most
--
-- Returns    {'PURGED', count}
-- Writes     removes up to so many, oldest first
-- Replay     PURGED, with the number that was left
-- Cost       O(log(identities) + most)

local elapsed = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', 0, ARGV[3])
if #elapsed > 0 then
  redis.call('ZREM', KEYS[1], unpack(elapsed))
end
return {'PURGED', string.format('%.0f', #elapsed)}
