-- restore-tokens: restore token entries that are still in their window.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    epoch      that is being seeded
-- ARGV[3..]  entries    caller, token, its entry without the time, and the end of its window,
--                       in ms
--
-- Returns    {'RECALLED'} | {'SUPERSEDED'}
-- Writes     the missing entries; existing ones keep their time
-- Replay     RECALLED
-- Cost       O(tokens)

-- include: shared/batch

read_meta({})
-- include: shared/seeding
for i = 3, #ARGV, 4 do
  local key, recorded_at = ARGV[i] .. '\t' .. ARGV[i + 1], ARGV[i + 3] - window
  if recorded_at > now - window then
    recorded_at = math.min(recorded_at, now) -- by the clock of an earlier server
    local bucket = prefix .. 'tok:' .. format('%d', (recorded_at - recorded_at % window) / window)
    call('HSETNX', bucket, key, format('%d', recorded_at) .. '\t' .. ARGV[i + 2])
    call('PEXPIRE', bucket, format('%d', 4 * window), 'NX')
  end
end
return {'RECALLED'}
