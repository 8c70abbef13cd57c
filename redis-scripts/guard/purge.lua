-- purge: remove identities whose guard window is over.
--
-- KEYS[1]    recorded    {g:<guard>}:recorded   sorted set: identity by recorded_at in ms
-- ARGV[1]    run_id      not used: a guard that lost its data starts empty
-- ARGV[2]    elapsed_at  recorded then or earlier, in ms: the window is over
-- ARGV[3]    most        maximum to remove
--
-- Returns    {'PURGED', count}
-- Writes     removes up to most, oldest first
-- Replay     PURGED, with the number of the rest
-- Cost       O(log(identities) + most)

local elapsed = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', 0, ARGV[3])
if #elapsed > 0 then
  redis.call('ZREM', KEYS[1], unpack(elapsed))
end
return {'PURGED', string.format('%.0f', #elapsed)}
