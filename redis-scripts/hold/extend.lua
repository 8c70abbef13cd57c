-- extend: a heartbeat; extend the lease, if the hold is live and the requester's.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      caller, fence and salt of the hold's id, requester, the fence that the holder
--                       sent
--
-- Returns    for each call: EXTENDED record | ABSENT it has ended and only Postgres has it, or it
--            never existed | NOT_KNOWN | ELAPSED | NOT_HELD | STALE_FENCE | AUCTION_CLOSED
--            or for all of them: UNSEEDED why
-- Writes     with EXTENDED: the hold, the TTL of its items and its due time
-- Replay     counts the lease from now; the window does not move
-- Cost       O(items)

-- include: shared/batch
-- include: shared/record

local FIRST, TEXTS, NET_MS = 2, 5, 60000

local function extend(caller, fence, salt, requester, known_fence)
  local record = record_of(fence)
  if not record then
    return 'ABSENT'
  end
  local hold = parsed(record)
  if hold[3] ~= salt or hold[4] ~= caller then
    return 'NOT_KNOWN'
  end
  if hold[11] == 'WINDOW' or hold[11] == 'LEASE' or (hold[1] == 'HELD' and has_lapsed(hold)) then
    return 'ELAPSED'
  end
  if hold[1] ~= 'HELD' or hold[5] ~= requester then
    return 'NOT_HELD'
  end
  if fence ~= known_fence then
    return 'STALE_FENCE'
  end
  if is_frozen(hold) then
    return 'AUCTION_CLOSED'
  end
  local lease_until = math.min(now + hold[9], tonumber(hold[8]))
  lease_until = math.max(lease_until, tonumber(hold[7])) -- a clock that was set back does not shorten it
  hold[7] = format('%d', lease_until)
  record = table.concat(hold, '\t')
  keep_record(fence, record)
  if not is_pinned(hold) then -- unpin sets these from the lease
    for item in string.gmatch(hold[14], '[^\n]+') do
      call('PEXPIRE', prefix .. 'item:' .. item, format('%d', lease_until - now + NET_MS))
    end
    set_due(fence, hold[7])
  end
  return 'EXTENDED\t' .. record
end

read_meta({})
-- include: shared/open
local fences, outcomes = {}, {}
for at = FIRST, #ARGV, TEXTS do
  fences[#fences + 1] = ARGV[at + 1]
end
read_holds(fences)
for at = FIRST, #ARGV, TEXTS do
  outcomes[#outcomes + 1] = extend(unpack(ARGV, at, at + TEXTS - 1))
end
write()
return outcomes
