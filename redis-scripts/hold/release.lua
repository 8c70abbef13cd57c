-- release: end a live hold for its requester.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      caller, token, digest, fence and salt of the hold's id, requester
--
-- Returns    for each call: RELEASED record | NOT_HELD | NOT_KNOWN | AUCTION_CLOSED
--            | PINNED end_reason epoch record  it is being committed; the reason is empty
--            | ABSENT  it has ended and only Postgres has it, or it never existed
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     the end of the hold with RELEASED, the outcome under its token and in the journal;
--            nothing with ABSENT and PINNED, which the service decides with Postgres
-- Replay     same token and digest: REPLAY with the first outcome, or ABSENT or PINNED again
-- Cost       O(items)

-- include: shared/batch
-- include: shared/tokens
-- include: shared/record
-- include: shared/ending

local FIRST, TEXTS = 2, 6

local function release(key, caller, digest, fence, salt, requester)
  local replay = spent(key, 'release', digest)
  if replay then
    return replay
  end
  local record = record_of(fence)
  if not record then
    return 'ABSENT'
  end
  local hold = parsed(record)
  local outcome
  if hold[3] ~= salt or hold[4] ~= caller then
    outcome = 'NOT_KNOWN'
  elseif hold[1] ~= 'HELD' or hold[5] ~= requester or has_lapsed(hold) then
    outcome = 'NOT_HELD'
  elseif is_frozen(hold) then
    outcome = 'AUCTION_CLOSED'
  elseif is_pinned(hold) then
    return 'PINNED\t\t' .. epoch .. '\t' .. record
  else
    outcome = 'RELEASED\t' .. finish(hold, 'RELEASED', '')
  end
  return remember(key, 'release', digest, outcome)
end

-- include: shared/calls_on_holds
for i = 1, #keys do
  local at = FIRST + TEXTS * (i - 1)
  outcomes[i] = release(keys[i], ARGV[at], unpack(ARGV, at + 2, at + 5))
end
write_tokens()
write()
return outcomes
