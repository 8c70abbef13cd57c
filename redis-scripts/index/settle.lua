-- settle: return pools that were taken and swept.
--
-- KEYS[1]    sweep    {holdfast}:sweep   sorted set: pool by when its first hold is due, in ms
-- ARGV[1]    run_id   not used: the index belongs to no epoch
-- ARGV[2]    lease    of the call that took the pools
-- ARGV[3..]  pools    for each its name and when it is due next: in ms, nothing if no hold is left, or
--                     a + and in how many ms from now
--
-- Returns    {'SETTLED'}
-- Writes     the score of each pool whose lease is unchanged, or its removal; a pool that was noted
--            during the sweep is due at once, because the sweep may have missed the write
-- Replay     SETTLED, without a change
-- Cost       O(pools × log(pools in the index))

local TAKEN, NOTED = 0.5, 0.25

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = tonumber(ARGV[2])

for i = 3, #ARGV, 2 do
  local pool, due = ARGV[i], ARGV[i + 1]
  local score = tonumber(redis.call('ZSCORE', KEYS[1], pool) or nil)
  if score == lease - TAKEN + NOTED then
    redis.call('ZADD', KEYS[1], '0', pool)
  elseif score == lease and due == '' then
    redis.call('ZREM', KEYS[1], pool)
  elseif score == lease then
    local from = string.sub(due, 1, 1) == '+' and now or 0
    redis.call('ZADD', KEYS[1], string.format('%.0f', from + tonumber(due)), pool)
  end
end
return {'SETTLED'}
