-- The hold comes into being: of `count` items, `keys` their keys (or the key of the only one) and
-- `items` as its record has them. `holds` is how many the requester has, `end_lapsed` ends what is in
-- its way, if there is something, and `is_short` tells whether its token keeps the record in short.
local seq = meta[4] + 1
if seq > 4294967295 then
  return {'UNSEEDED', 'FULL'}
end
if end_lapsed then
  end_lapsed()
end
local fence = format('%d', meta[3] * 4294967296 + seq)
local lease_until = format('%d', now + lease_ms)
local record = 'HELD\t' .. fence .. '\t' .. ARGV[10] .. '\t' .. ARGV[2] .. '\t' .. ARGV[6] .. '\t'
  .. now_text .. '\t' .. lease_until .. '\t' .. format('%d', now + hold_ms)
  .. '\t' .. ARGV[7] .. '\t\t\t0\t' .. ARGV[3] .. '\t' .. items
local item_ms = format('%d', lease_ms + 60000) -- outlives its lease, should no sweeper come
if count == 1 then
  redis.call('SET', keys, fence, 'PX', item_ms)
else
  for i = 1, count do
    redis.call('SET', keys[i], fence, 'PX', item_ms)
  end
end
redis.call('SET', prefix .. 'hold:' .. fence, record,
  'PX', format('%d', hold_ms + 604800000)) -- and the record, which the sweeper needs, its window
redis.call('ZADD', prefix .. 'due', lease_until, fence)
redis.call('HSET', KEYS[1], 'seq', format('%d', seq), 'version', format('%d', version + 1),
  'held', format('%d', held + count), person, holds > 0 and format('%d', holds + 1) or '1')
redis.call('SET', KEYS[2], action .. '\t' .. ARGV[4] .. '\tHELD\t'
  .. (is_short and fence .. '\t' .. ARGV[10] .. '\t' .. now_text or record), 'PX', ARGV[5])
redis.call('XADD', KEYS[3], '*', 'line', meta[3] .. '\t' .. now_text .. '\t' .. action .. '\t'
  .. ARGV[2] .. '\t' .. ARGV[3] .. '\t' .. ARGV[4] .. '\t' .. ARGV[5] .. '\tHELD\t' .. record)
