-- trim: forget the lines that have reached Postgres, and the records of holds that ended in them.
--
-- KEYS[1]    journal    {p:<pool>}:journal       stream
-- KEYS[2]    meta       {p:<pool>}:meta          hash: run_id
-- KEYS[3..]  hold       {p:<pool>}:hold:<fence>  string: the record of a hold, its state in front
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    keep_from  the id from which on the lines stay
--
-- Returns    {'TRIMMED'} | {'UNSEEDED'}
-- Writes     journal, and the records given; one whose state is HELD is left alone in any case
-- Replay     TRIMMED again
-- Cost       O(lines that go + records given)

if redis.call('HGET', KEYS[2], 'run_id') ~= ARGV[1] then
  return {'UNSEEDED'}
end
local ended = {}
for i, record in ipairs(#KEYS > 2 and redis.call('MGET', unpack(KEYS, 3)) or {}) do
  if record and string.sub(record, 1, 5) ~= 'HELD\t' then
    ended[#ended + 1] = KEYS[2 + i]
  end
end
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[2])
if #ended > 0 then
  redis.call('UNLINK', unpack(ended))
end
return {'TRIMMED'}
