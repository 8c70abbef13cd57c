-- record: record an identity, unless it is guarded already.
--
-- KEYS[1]    recorded  {g:<guard>}:recorded   sorted set: identity by recorded_at in ms
-- ARGV[1]    run_id    not used: a guard that lost its data starts empty
-- ARGV[2]    identity  ARGV[3] now_ms of the caller  ARGV[4] window_ms
--
-- Returns    {'RECORDED'} | {'GUARDED', recorded_at}
-- Writes     the time with RECORDED; otherwise nothing
-- Replay     GUARDED, with the first time
-- Cost       O(log(identities))

local NET_MS = 86400000 -- safety net: how long a set outlives its last window if it is not purged

local now, window = tonumber(ARGV[3]), tonumber(ARGV[4])
local recorded_at = redis.call('ZSCORE', KEYS[1], ARGV[2])
if recorded_at and now - tonumber(recorded_at) < window then
  return {'GUARDED', string.format('%.0f', tonumber(recorded_at))}
end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', window + NET_MS))
return {'RECORDED'}
