-- restore: bring holds back that Postgres knows as held and that this memory has lost.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  records  of live holds, higher fences first, when the survivors have been counted
--
-- Returns    {'RESTORED', restored, lost} how many of them | {'SUPERSEDED'}
-- Writes     each hold with its fence and a whole lease, for nobody knows of its last heartbeats. Of
--            two that hold one item the higher fence keeps it; the other one is EXPIRED, LOST, and
--            stays as such until Postgres has heard of it
-- Replay     RESTORED with no more of them
-- Cost       O(records × items)

local NET_MS = 60000
local RECORD_MS = 604800000

-- include: shared/now
-- include: shared/meta
-- include: shared/seeding
-- include: shared/record
-- include: shared/ending

local function give_back(hold)
  local expires_at = tonumber(hold[8])
  local lease_until = math.min(now + tonumber(hold[9]), expires_at)
  hold[7] = format('%d', lease_until)
  local item_ms = math.max(lease_until - now, 0) + NET_MS
  local record_ms = math.max(expires_at - now, 0) + RECORD_MS
  for item in string.gmatch(hold[14], '[^\n]+') do
    redis.call('SET', prefix .. 'item:' .. item, hold[2], 'PX', item_ms)
    held = held + 1
  end
  redis.call('SET', prefix .. 'hold:' .. hold[2], table.concat(hold, '\t'), 'PX', record_ms)
  redis.call('ZADD', prefix .. 'due', hold[7], hold[2])
  redis.call('HINCRBY', KEYS[1], 'who:' .. hold[4] .. '\t' .. hold[5], 1)
end

-- The holds that have an item of this one. It gives way to a higher fence among them; lower ones
-- give way to it, but only if nobody beats it.
local function rivals_of(hold)
  local rivals, is_beaten = {}, false
  for item in string.gmatch(hold[14], '[^\n]+') do
    local fence = redis.call('GET', prefix .. 'item:' .. item)
    local record = fence and redis.call('GET', prefix .. 'hold:' .. fence)
    local rival = record and parsed(record)
    if rival and rival[1] == 'HELD' then
      rivals[fence] = rival
      is_beaten = is_beaten or tonumber(fence) > tonumber(hold[2])
    end
  end
  return rivals, is_beaten
end

local restored, lost = 0, 0
for i = 3, #ARGV do
  local hold = parsed(ARGV[i])
  if redis.call('EXISTS', prefix .. 'hold:' .. hold[2]) == 0 then
    local rivals, is_beaten = rivals_of(hold)
    if is_beaten then
      note_expired(KEYS[2], keep_ended(hold, 'EXPIRED', 'LOST'))
      lost = lost + 1
    else
      for _, rival in pairs(rivals) do
        note_expired(KEYS[2], finish(rival, 'EXPIRED', 'LOST'))
      end
      give_back(hold)
      restored = restored + 1
    end
  end
end
redis.call('HSET', KEYS[1], 'version', version, 'held', held)
return {'RESTORED', format('%d', restored), format('%d', lost)}
