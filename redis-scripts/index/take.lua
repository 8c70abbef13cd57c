-- take: take due pools under a lease, so that no other instance sweeps them.
--
-- KEYS[1]    sweep     {holdfast}:sweep    sorted set: pool by when its first hold is due, in ms
-- KEYS[2]    drain     {holdfast}:drain    sorted set, counted only
-- KEYS[3]    server    {holdfast}:server   string: the run id of the server that the index was written on
-- ARGV[1]    run_id    of the server at the other end of this connection
-- ARGV[2]    count     maximum of pools
-- ARGV[3]    lease_ms  duration of the lease
--
-- Returns    {'TAKEN', run_id, wait_ms, sweeps, drains, lease, pool…} the run id if the index is lost
--            or was written on another server, otherwise nothing; the time until the next pool is due
--            (nothing if there is none); the number of pools in sweep and drain; the lease to settle
--            with; and the pools
-- Writes     the end of the lease as the score of each pool, with a fraction that marks it as taken
-- Replay     TAKEN, with other pools
-- Cost       O(count × log(pools in the index))

local TAKEN = 0.5

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = string.format('%.1f', now + ARGV[3] + TAKEN)

local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now),
  'LIMIT', 0, ARGV[2])
for _, pool in ipairs(due) do
  redis.call('ZADD', KEYS[1], lease, pool)
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
local wait_ms = first and string.format('%.0f', math.max(0, math.ceil(first - now))) or ''
local is_known = redis.call('GET', KEYS[3]) == ARGV[1]
return {'TAKEN', is_known and '' or ARGV[1], wait_ms,
  string.format('%.0f', redis.call('ZCARD', KEYS[1])),
  string.format('%.0f', redis.call('ZCARD', KEYS[2])), lease, unpack(due)}
