-- pin: a hold is going to be committed; until it is plain again only Postgres may end it.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    token      {p:<pool>}:tok:<caller>:<token>
-- KEYS[3]    hold       {p:<pool>}:hold:<fence>   string: the record
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    caller     ARGV[3] token, not looked at: its key names it
-- ARGV[4]    digest     ARGV[5] window_ms of the token
-- ARGV[6]    salt       ARGV[7] requester  ARGV[8] fence that the holder knows
-- ARGV[9]    pin_ms     how long the commit may take
-- ARGV[10]   skew_ms    how far the clocks of Redis and Postgres may be apart
-- ARGV[11]   grace_ms   how long after its deadline a transaction may still be open
--
-- Returns    {'PINNED', record, deadline, epoch} the pin's number in the record, and until when
--            it may sell
--            | {'ABSENT'} | {'NOT_KNOWN'} | {'ELAPSED'} | {'NOT_HELD'} | {'STALE_FENCE'}
--            | {'REPLAY', outcome} | {'COLLISION'} | {'DRIFT', digest_function}
--            | {'UNSEEDED', why}
-- Writes     with PINNED: the number into the hold, which outlives its lease for the commit's
--            sake, and a note under the token that something runs, for other actions to collide
--            with; otherwise nothing, for Postgres records the refusals of a commit
-- Replay     PINNED again, under the next number, or REPLAY once the outcome is known here
-- Cost       O(items)

local action = 'confirm'
local NET_MS = 60000

-- include: shared/now
-- include: shared/life
-- include: shared/open

-- A commit that runs has no outcome yet; Postgres makes equal tokens wait for one another.
local found = redis.call('MGET', KEYS[2], KEYS[3])
local entry, record = found[1], found[2]
if entry and string.find(entry, '^confirm\t[^\t]*\tRUNNING\t') then
  entry = nil
end
-- include: shared/token
-- include: shared/record

if not record then
  return {'ABSENT'}
end
local hold = parsed(record)
if hold[3] ~= ARGV[6] or hold[4] ~= ARGV[2] then
  return {'NOT_KNOWN'}
end
if hold[11] == 'WINDOW' or hold[11] == 'LEASE' then
  return {'ELAPSED'}
end
if hold[1] ~= 'HELD' or hold[5] ~= ARGV[7] then
  return {'NOT_HELD'}
end
if hold[2] ~= ARGV[8] then
  return {'STALE_FENCE'}
end
local deadline = math.min(now + tonumber(ARGV[9]), tonumber(hold[8])) - tonumber(ARGV[10])
if deadline <= now or (has_lapsed(hold) and not is_pinned(hold)) then
  return {'ELAPSED'}
end

local lease_until = tonumber(hold[7])
local keep_until = math.max(deadline + tonumber(ARGV[11]), lease_until)
if keep_until > lease_until or is_pinned(hold) then -- otherwise all is kept that long already
-- include: shared/items
  keep_items(hold, keep_until - now + NET_MS)
  redis.call('ZADD', prefix .. 'due', format('%d', keep_until), hold[2])
end
local pin_no = tonumber(hold[12])
hold[12] = format('%d', pin_no + 1 + pin_no % 2)
record = table.concat(hold, '\t')
redis.call('SET', KEYS[3], record, 'KEEPTTL')
redis.call('SET', KEYS[2], 'confirm\t' .. ARGV[4] .. '\tRUNNING\t',
  'PX', format('%d', math.min(keep_until - now, tonumber(ARGV[5]))), 'NX')
return {'PINNED', record, format('%d', deadline), meta[3]}
