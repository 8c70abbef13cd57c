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
-- Writes     the missing entries, the marks of commits, and the entries that are valid for longer than a
--            window; existing ones keep their time
-- Replay     RECALLED
-- Cost       O(tokens)

-- include: shared/batch
-- include: shared/tokens

read_meta({})
-- include: shared/seeding
for i = 3, #ARGV, 4 do
  local key, recorded_at = ARGV[i] .. '\t' .. ARGV[i + 1], ARGV[i + 3] - window
  local left = ARGV[i + 3] - now
  if left > window + 0 and call('HEXISTS', prefix .. 'kept', key) == 0 then
    keep_longer(key, string.match(ARGV[i + 2], '^[^\t]*'), '\t' .. ARGV[i + 2], left)
  end
  if recorded_at > now - window then
    recorded_at = math.min(recorded_at, now) -- by the clock of an earlier server
    local bucket = bucket_key((recorded_at - recorded_at % window) / window)
    call('HSETNX', bucket, key, format('%d', recorded_at) .. '\t' .. ARGV[i + 2])
    call('PEXPIRE', bucket, format('%d', 4 * window), 'NX')
  end
end
return {'RECALLED'}
