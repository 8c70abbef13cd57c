-- held: the items that are held now, a part of them at a time.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    due      {p:<pool>}:due    sorted set: fence by lease end
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    from     how many holds to skip  ARGV[3] to  the last one wanted
--
-- Returns    {'ITEMS', epoch, version, held, sold, holds, items} how the pool stands, how many holds
--            were looked at, and their items | {'UNSEEDED', why}
-- Writes     nothing
-- Replay     ITEMS, as they are by then
-- Cost       O(holds asked for × items)

-- include: shared/now
-- include: shared/meta
-- include: shared/open
-- include: shared/record

local fences = redis.call('ZRANGE', KEYS[2], ARGV[2], ARGV[3])
local items = {}
for _, fence in ipairs(fences) do
  local record = redis.call('GET', prefix .. 'hold:' .. fence)
  local hold = record and parsed(record)
  if hold and hold[1] == 'HELD' and (is_pinned(hold) or not has_lapsed(hold)) then
    items[#items + 1] = hold[14]
  end
end
return {'ITEMS', meta[3], format('%d', version), format('%d', held),
  redis.call('HGET', KEYS[1], 'sold') or '0', format('%d', #fences), table.concat(items, '\n')}
