-- unpin: a commit came to nothing, and Postgres has shut it out; the hold is plain again.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    hold       {p:<pool>}:hold:<fence>   string: the record
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    pin_no     of the pin
-- ARGV[3]    next_no    what Postgres has written: even, and higher than the pin
--
-- Returns    {'UNPINNED'} | {'OTHER'} it has ended, or another pin's number | {'UNSEEDED', why}
-- Writes     with UNPINNED: the number into the hold, which is due at the end of its lease again
-- Replay     OTHER
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
hold[12] = ARGV[3]
keep_items(hold, math.max(tonumber(hold[7]) - now, 0) + NET_MS)
redis.call('SET', KEYS[2], table.concat(hold, '\t'), 'KEEPTTL')
redis.call('ZADD', prefix .. 'due', hold[7], hold[2])
return {'UNPINNED'}
