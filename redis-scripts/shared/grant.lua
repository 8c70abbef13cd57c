-- The hold comes into being: `keys` and `count` of its items, `lapsed` what is in its way, `holds`
-- how many the requester has, `record_of` its record, and `short_of` what its token keeps of that.
local seq = tonumber(meta[4]) + 1
if seq > 4294967295 then
  return {'UNSEEDED', 'FULL'}
end
local fence = text(tonumber(meta[3]) * 4294967296 + seq)
local record = record_of(fence, ARGV[10], now)
local item_ms = text(lease_ms + NET_MS)
for _, hold in pairs(lapsed) do
  note_expired(KEYS[3], finish(hold, 'EXPIRED', elapsed_reason(hold)))
end
for i = 1, count do
  redis.call('SET', keys[i], fence, 'PX', item_ms)
end
redis.call('SET', prefix .. 'hold:' .. fence, record, 'PX', text(hold_ms + RECORD_MS))
redis.call('ZADD', prefix .. 'due', text(now + lease_ms), fence)
redis.call('HSET', KEYS[1], 'seq', text(seq), 'version', text(version + 1),
  'held', text(held + count), 'who:' .. who, text(math.max(holds, 0) + 1))
remember('HELD', record, short_of(fence))
