-- keep: a checkout has claimed what a hold holds; Redis keeps the hold for as long as the claim lasts.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    hold       {p:<pool>}:hold:<fence>   string: the record
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    pin_no     of the pin that the claim was made at
-- ARGV[3]    until      when somebody has to look again
--
-- Returns    {'KEPT'} | {'OTHER'} it has ended, or another pin's number | {'UNSEEDED', why}
-- Writes     with KEPT: when the hold is due, and for how long its items stay
-- Replay     KEPT
-- Cost       O(items)

local NET_MS = 60000

-- include: shared/now
-- include: shared/life
-- include: shared/open
-- include: shared/record
-- include: shared/items

local record = redis.call('GET', KEYS[2])
local hold = record and parsed(record)
if not hold or hold[1] ~= 'HELD' or hold[12] ~= ARGV[2] then
  return {'OTHER'}
end
local left = math.max(tonumber(ARGV[3]) - now, 0)
keep_items(hold, left + NET_MS)
redis.call('ZADD', prefix .. 'due', format('%d', now + left), hold[2])
return {'KEPT'}
