-- pin: a hold is going to be committed; until it is plain again only Postgres may end it.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2..]  token      {p:<pool>}:tok:<caller>:<token>, then the hold {p:<pool>}:hold:<fence>,
--                       string: the record; behind these, both of each further call
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  call       caller, token (not looked at, its key names it), digest, window_ms of the
--                       token, salt, requester, the fence that the holder knows, pin_ms (how long
--                       the commit may take), skew_ms (how far the clocks of Redis and Postgres
--                       may be apart), grace_ms (how long after its deadline a transaction may
--                       still be open); behind these, all ten of each further call
--
-- Returns    {'PINNED', record, deadline, epoch} the pin's number in the record, and until when
--            it may sell
--            | {'ABSENT'} | {'NOT_KNOWN'} | {'ELAPSED'} | {'NOT_HELD'} | {'STALE_FENCE'}
--            | {'REPLAY', outcome} | {'COLLISION'} | {'DRIFT', digest_function}
--            | {'SEVERAL', answers} to several calls, each as if it had been made alone
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
-- include: shared/record

local function pin(entry, record, keys_at, at)
  local caller, _, digest, window_ms, salt, requester, fence, pin_ms, skew_ms, grace_ms =
    unpack(ARGV, at, at + 9)
  -- A commit that runs has no outcome yet; Postgres makes equal tokens wait for one another.
  if entry and string.find(entry, '^confirm\t[^\t]*\tRUNNING\t') then
    entry = nil
  end
-- include: shared/token
  if not record then
    return {'ABSENT'}
  end
  local hold = parsed(record)
  if hold[3] ~= salt or hold[4] ~= caller then
    return {'NOT_KNOWN'}
  end
  if hold[11] == 'WINDOW' or hold[11] == 'LEASE' then
    return {'ELAPSED'}
  end
  if hold[1] ~= 'HELD' or hold[5] ~= requester then
    return {'NOT_HELD'}
  end
  if hold[2] ~= fence then
    return {'STALE_FENCE'}
  end
  local deadline = math.min(now + tonumber(pin_ms), tonumber(hold[8])) - tonumber(skew_ms)
  if deadline <= now or (has_lapsed(hold) and not is_pinned(hold)) then
    return {'ELAPSED'}
  end

  local lease_until = tonumber(hold[7])
  local keep_until = math.max(deadline + tonumber(grace_ms), lease_until)
  if keep_until > lease_until or is_pinned(hold) then -- otherwise all is kept that long already
-- include: shared/items
    keep_items(hold, keep_until - now + NET_MS)
    redis.call('ZADD', prefix .. 'due', format('%d', keep_until), hold[2])
  end
  local pin_no = tonumber(hold[12])
  hold[12] = format('%d', pin_no + 1 + pin_no % 2)
  record = table.concat(hold, '\t')
  redis.call('SET', KEYS[keys_at + 1], record, 'KEEPTTL')
  redis.call('SET', KEYS[keys_at], 'confirm\t' .. digest .. '\tRUNNING\t',
    'PX', format('%d', math.min(keep_until - now, tonumber(window_ms))), 'NX')
  return {'PINNED', record, format('%d', deadline), meta[3]}
end

local found = redis.call('MGET', unpack(KEYS, 2))
if #found == 2 then
  return pin(found[1], found[2], 2, 2)
end
-- Two calls for one hold pin it twice, the second under the next number.
local answers, pinned = {}, {}
for i = 1, #found / 2 do
  local key = KEYS[2 * i + 1]
  answers[i] = pin(found[2 * i - 1], pinned[key] or found[2 * i], 2 * i, 10 * i - 8)
  pinned[key] = answers[i][1] == 'PINNED' and answers[i][2] or pinned[key]
end
return {'SEVERAL', answers}
