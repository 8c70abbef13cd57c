-- expire: end a hold whose lease is over, or any hold by force.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      caller, token, digest, fence and salt of the hold's id, force: 'force' or
--                       nothing
--
-- Returns    for each call: EXPIRED record | WINDOW_NOT_ELAPSED | NOT_HELD | NOT_KNOWN
--            | AUCTION_CLOSED
--            | PINNED end_reason epoch record  it is being committed
--            | ABSENT  it has ended and only Postgres has it, or it never existed
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     the end of the hold with EXPIRED, the outcome under its token and in the journal;
--            nothing with ABSENT and PINNED, which the service decides with Postgres
-- Replay     same token and digest: REPLAY with the first outcome, or ABSENT or PINNED again
-- Cost       O(items)

-- include: shared/batch
-- include: shared/tokens
-- include: shared/record
-- include: shared/ending

local FIRST, TEXTS = 2, 6

local function expire_hold(key, digest, fence, salt, force)
  local replay = spent(key, 'expire', digest)
  if replay then
    return replay
  end
  local record = record_of(fence)
  if not record then
    return 'ABSENT'
  end
  local hold = parsed(record)
  local is_over = hold[1] == 'HELD' and has_lapsed(hold)
  local outcome
  if hold[3] ~= salt then
    outcome = 'NOT_KNOWN'
  elseif hold[1] ~= 'HELD' then
    outcome = 'NOT_HELD'
  elseif not is_over and is_frozen(hold) then
    outcome = 'AUCTION_CLOSED'
  elseif not is_over and force ~= 'force' then
    outcome = 'WINDOW_NOT_ELAPSED'
  else
    local reason = is_over and elapsed_reason(hold) or 'FORCED'
    if is_pinned(hold) then
      return 'PINNED\t' .. reason .. '\t' .. epoch .. '\t' .. record
    end
    outcome = 'EXPIRED\t' .. finish(hold, 'EXPIRED', reason)
  end
  return remember(key, 'expire', digest, outcome)
end

-- include: shared/calls_on_holds
for i = 1, #keys do
  local at = FIRST + TEXTS * (i - 1)
  outcomes[i] = expire_hold(keys[i], unpack(ARGV, at + 2, at + 5))
end
write_tokens()
write()
return outcomes
