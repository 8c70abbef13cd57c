-- note: enter written pools in the index of pools with work.
--
-- KEYS[1]    sweep    {holdfast}:sweep   sorted set: pool by when its first hold is due, in ms; with a
--                                        fraction while an instance sweeps it, see take
-- KEYS[2]    drain    {holdfast}:drain   sorted set: pool by when it was last noted, in µs
-- ARGV[1]    run_id   not used: the index belongs to no epoch
-- ARGV[2..]  notes    for each pool its name, when a hold of it is due (in ms, or nothing), and 1 if
--                     its journal may have lines (or nothing)
--
-- Returns    {'NOTED'}
-- Writes     the earlier time into sweep; a pool that is being swept is marked, so that it stays due
--            after the sweep. Each note gives a pool a higher score in drain, so that a drainer with
--            an older score does not remove it
-- Replay     NOTED, with higher scores in drain
-- Cost       O(pools × log(pools in the index))

local TAKEN, NOTED = 0.5, 0.25

local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2]

for i = 2, #ARGV, 3 do
  local pool, due, is_written = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2] == '1'
  if due then
    local score = tonumber(redis.call('ZSCORE', KEYS[1], pool) or nil)
    if not score or (score % 1 == 0 and due < score) then
      redis.call('ZADD', KEYS[1], string.format('%.0f', due), pool)
    elseif score % 1 == TAKEN then
      redis.call('ZADD', KEYS[1], string.format('%.2f', score - TAKEN + NOTED), pool)
    end
  end
  if is_written then
    local last = tonumber(redis.call('ZSCORE', KEYS[2], pool) or '0')
    redis.call('ZADD', KEYS[2], string.format('%.0f', math.max(now_us, last + 1)), pool)
    now_us = now_us + 1 -- scores are distinct, because a page must not end between equal ones
  end
end
return {'NOTED'}
