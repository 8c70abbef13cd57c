-- pin: mark a hold as being committed; until it is unpinned only Postgres may end it.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    pin_ms     how long the commit may take
-- ARGV[3]    skew_ms    how far the clocks of Redis and Postgres may differ
-- ARGV[4]    grace_ms   how long after its deadline a transaction may still be open
-- ARGV[5..]  calls      caller, token, digest, fence and salt of the hold's id, requester, the fence
--                       that the holder sent
--
-- Returns    for each call: PINNED deadline epoch record  the record has the pin number; the sale
--            has to be made before the deadline
--            | ABSENT | NOT_KNOWN | ELAPSED | NOT_HELD | STALE_FENCE | AUCTION_OPEN
--            | CLOSING  less than skew_ms is left of its window
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     with PINNED: the pin number of the hold, which outlives its lease during the commit, and
--            RUNNING under the token, so that other actions under it collide; otherwise nothing,
--            because Postgres records the refusals of a commit
-- Replay     PINNED again, with the next number, or REPLAY once the outcome is settled
-- Cost       O(items)

-- include: shared/batch
-- include: shared/tokens
-- include: shared/record
-- include: shared/items

local FIRST, TEXTS, NET_MS = 5, 7, 60000
local pin_ms, skew_ms, grace_ms = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local function pin(key, caller, digest, fence, salt, requester, known_fence)
  local replay = spent(key, 'confirm', digest)
  if replay then
    return replay
  end
  local record = record_of(fence)
  if not record then
    return 'ABSENT'
  end
  local hold = parsed(record)
  if hold[3] ~= salt or hold[4] ~= caller then
    return 'NOT_KNOWN'
  end
  if hold[11] == 'WINDOW' or hold[11] == 'LEASE' then
    return 'ELAPSED'
  end
  if hold[1] ~= 'HELD' or hold[5] ~= requester then
    return 'NOT_HELD'
  end
  if fence ~= known_fence then
    return 'STALE_FENCE'
  end
  if hold[17] then -- the close of the auction sells it
    return 'AUCTION_OPEN'
  end
  local deadline = math.min(now + pin_ms, tonumber(hold[8])) - skew_ms
  if now >= tonumber(hold[8]) or (has_lapsed(hold) and not is_pinned(hold)) then
    return 'ELAPSED'
  end
  if deadline <= now then
    return 'CLOSING'
  end

  local lease_until = tonumber(hold[7])
  local keep_until = math.max(deadline + grace_ms, lease_until)
  if keep_until > lease_until or is_pinned(hold) then -- otherwise the lease lasts as long
    keep_items(hold, keep_until - now + NET_MS)
    set_due(fence, format('%d', keep_until))
  end
  hold[12] = format('%d', hold[12] + 1 + hold[12] % 2)
  record = table.concat(hold, '\t')
  keep_record(fence, record)
  keep_token(key, 'confirm', digest, 'RUNNING\t' .. format('%d', keep_until))
  return 'PINNED\t' .. format('%d', deadline) .. '\t' .. epoch .. '\t' .. record
end

-- include: shared/calls_on_holds
for i = 1, #keys do
  local at = FIRST + TEXTS * (i - 1)
  outcomes[i] = pin(keys[i], ARGV[at], unpack(ARGV, at + 2, at + 6))
end
write_tokens()
write()
return outcomes
