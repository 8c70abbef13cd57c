-- align: number the next entry of a journal after all entries that have reached Postgres.
--
-- KEYS[1]    meta     {p:<pool>}:meta      hash: run_id
-- KEYS[2]    journal  {p:<pool>}:journal   stream
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    drained  the id of the last entry that has reached Postgres, not 0-0
--
-- Returns    {'ALIGNED'} | {'UNSEEDED'}
-- Writes     the last id of journal, if it is lower than drained; no entries
-- Replay     ALIGNED again
-- Cost       O(1)

-- A Redis that lost its last writes, with a slower clock than its predecessor, would reuse ids of
-- drained entries, and the new entries would be skipped.

local function parts(id)
  local ms, sequence = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(sequence)
end

local function last_id()
  local info = redis.call('XINFO', 'STREAM', KEYS[2])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      return info[i + 1]
    end
  end
end

if redis.call('HGET', KEYS[1], 'run_id') ~= ARGV[1] then
  return {'UNSEEDED'}
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('XADD', KEYS[2], ARGV[2], 'lines', '')
  redis.call('XTRIM', KEYS[2], 'MAXLEN', '0')
  return {'ALIGNED'}
end
local last_ms, last_sequence = parts(last_id())
local ms, sequence = parts(ARGV[2])
if last_ms < ms or (last_ms == ms and last_sequence < sequence) then
  redis.call('XSETID', KEYS[2], ARGV[2])
end
return {'ALIGNED'}
