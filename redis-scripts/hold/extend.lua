-- extend: a heartbeat; move the end of the lease, if the hold is still the holder's.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    hold       {p:<pool>}:hold:<fence>   string: the record
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    caller     ARGV[3] salt  ARGV[4] requester  ARGV[5] fence that the holder knows
--
-- Returns    {'EXTENDED', record} | {'ABSENT'} it has ended and was taken to Postgres, or never was
--            | {'NOT_KNOWN'} | {'ELAPSED'} | {'NOT_HELD'} | {'STALE_FENCE'} | {'UNSEEDED', why}
-- Writes     the hold, its items' lives and its place among the due, only with EXTENDED
-- Replay     counts the lease from now; the window does not move
-- Cost       O(items)

local NET_MS = 60000

-- include: shared/now
-- include: shared/life
-- include: shared/open
-- include: shared/record

local record = redis.call('GET', KEYS[2])
if not record then
  return {'ABSENT'}
end
local hold = parsed(record)
if hold[3] ~= ARGV[3] or hold[4] ~= ARGV[2] then
  return {'NOT_KNOWN'}
end
if hold[11] == 'WINDOW' or hold[11] == 'LEASE' or (hold[1] == 'HELD' and has_lapsed(hold)) then
  return {'ELAPSED'}
end
if hold[1] ~= 'HELD' or hold[5] ~= ARGV[4] then
  return {'NOT_HELD'}
end
if hold[2] ~= ARGV[5] then
  return {'STALE_FENCE'}
end

local lease_until = math.min(now + tonumber(hold[9]), tonumber(hold[8]))
lease_until = math.max(lease_until, tonumber(hold[7])) -- a clock that jumped back takes nothing away
hold[7] = format('%d', lease_until)
record = table.concat(hold, '\t')
redis.call('SET', KEYS[2], record, 'KEEPTTL')
if not is_pinned(hold) then -- a pin keeps it, and gives it back with this lease
  for item in string.gmatch(hold[14], '[^\n]+') do
    redis.call('PEXPIRE', prefix .. 'item:' .. item, lease_until - now + NET_MS)
  end
  redis.call('ZADD', prefix .. 'due', hold[7], hold[2])
end
return {'EXTENDED', record}
