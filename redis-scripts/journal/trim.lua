-- trim: remove entries that have reached Postgres, and the holds and tickets that ended in them.
--
-- KEYS[1]    meta       {p:<pool>}:meta          hash: run_id
-- KEYS[2]    journal    {p:<pool>}:journal       stream
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    keep_from  the first id that stays
-- ARGV[3..]  fences     of holds that have ended, and numbers of such tickets
--
-- Returns    {'TRIMMED'} | {'UNSEEDED'}
-- Writes     journal, and the records of these holds and tickets; a record in state HELD, WAITING or
--            ADMITTED always stays
-- Replay     TRIMMED again
-- Cost       O(removed entries + records)

local prefix = string.sub(KEYS[1], 1, -5)
local holds, tickets = prefix .. 'holds', prefix .. 'tickets'
if redis.call('HGET', KEYS[1], 'run_id') ~= ARGV[1] then
  return {'UNSEEDED'}
end
local ended, others = {}, {} -- others have no record of a hold
for i, record in ipairs(#ARGV > 2 and redis.call('HMGET', holds, unpack(ARGV, 3)) or {}) do
  if record and string.sub(record, 1, 5) ~= 'HELD\t' then
    ended[#ended + 1] = ARGV[2 + i]
  elseif not record then
    others[#others + 1] = ARGV[2 + i]
  end
end
local left = {}
for i, record in ipairs(#others > 0 and redis.call('HMGET', tickets, unpack(others)) or {}) do
  if record and (string.sub(record, 1, 5) == 'LEFT\t' or string.sub(record, 1, 8) == 'EXPIRED\t') then
    left[#left + 1] = others[i]
  end
end
redis.call('XTRIM', KEYS[2], 'MINID', ARGV[2])
if #ended > 0 then
  redis.call('HDEL', holds, unpack(ended))
end
if #left > 0 then
  redis.call('HDEL', tickets, unpack(left))
end
return {'TRIMMED'}
