-- keep: count the survivors that Postgres still knows as held, and forget those it knows as ended.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    counted  {p:<pool>}:counted   set: fences that this epoch has counted
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  verdicts fence and KEEP or DROP by turns
--
-- Returns    {'KEPT'} | {'SUPERSEDED'}
-- Writes     the counts of meta, and for each hold that is kept a whole lease, for
--            nobody knows which heartbeats this memory has missed; whatever belongs to a dropped
--            hold is gone, without a line, because the journal has its end already
-- Replay     KEPT, nothing is counted twice
-- Cost       O(verdicts × items)

local NET_MS = 60000

-- include: shared/now
-- include: shared/meta
-- include: shared/seeding
-- include: shared/record

-- Items that have run out of time in this memory are taken back. If somebody has one of them by
-- now, the hold stays as it is, and the sweep ends it.
local function prolong(hold)
  local keys = {}
  for item in string.gmatch(hold[14], '[^\n]+') do
    keys[#keys + 1] = prefix .. 'item:' .. item
    if (redis.call('GET', keys[#keys]) or hold[2]) ~= hold[2] then
      return
    end
  end
  local lease_until = math.min(now + tonumber(hold[9]), tonumber(hold[8]))
  lease_until = math.max(lease_until, tonumber(hold[7]))
  hold[7] = format('%d', lease_until)
  for _, key in ipairs(keys) do
    redis.call('SET', key, hold[2], 'PX', math.max(lease_until - now, 0) + NET_MS)
  end
  redis.call('SET', prefix .. 'hold:' .. hold[2], table.concat(hold, '\t'), 'KEEPTTL')
  redis.call('ZADD', prefix .. 'due', hold[7], hold[2])
end

for i = 3, #ARGV, 2 do
  local fence = ARGV[i]
  local record = redis.call('GET', prefix .. 'hold:' .. fence)
  local hold = record and parsed(record)
  if hold and hold[1] == 'HELD' and ARGV[i + 1] == 'KEEP' then
    if redis.call('SADD', KEYS[2], fence) == 1 then
      held = held + 1 + select(2, string.gsub(hold[14], '\n', ''))
      redis.call('HINCRBY', KEYS[1], 'who:' .. hold[4] .. '\t' .. hold[5], 1)
      prolong(hold)
    end
  else
    for item in string.gmatch(hold and hold[14] or '', '[^\n]+') do
      if redis.call('GET', prefix .. 'item:' .. item) == fence then
        redis.call('DEL', prefix .. 'item:' .. item)
      end
    end
    redis.call('ZREM', prefix .. 'due', fence)
    redis.call('DEL', prefix .. 'hold:' .. fence)
  end
end
redis.call('HSET', KEYS[1], 'held', held)
return {'KEPT'}
