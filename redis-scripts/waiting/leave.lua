-- leave: end tickets for their requesters; the pass of an admitted one ends with it.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      caller, token, digest, number, requester
--
-- Returns    for each call: TICKET_LEFT record  the ticket has ended, now or before
--            | ABSENT  it has ended and only Postgres has it, it was lost, it never existed, or it
--              is that of another
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     the end of the ticket, the outcome under its token and in the journal; nothing with ABSENT
-- Replay     same token and digest: REPLAY with the first outcome, or ABSENT again
-- Cost       O(log waiting) for each call

-- include: shared/batch
-- include: shared/tokens
-- include: shared/tickets

local FIRST, TEXTS = 2, 5

local function leave(key, caller, digest, number, requester)
  local replay = spent(key, 'leave_queue', digest)
  if replay then
    return replay
  end
  local ticket = ticket_of(number)
  if not ticket or ticket[4] ~= caller or ticket[5] ~= requester then
    return 'ABSENT'
  end
  if ticket[1] == 'ADMITTED' then
    revoke(number, ticket[10])
  end
  if ticket[1] == 'ADMITTED' or ticket[1] == 'WAITING' then
    end_ticket(ticket, 'LEFT')
  end
  return remember(key, 'leave_queue', digest, 'TICKET_LEFT\t' .. table.concat(ticket, '\t'))
end

local keys, outcomes = {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
end
read_meta({})
-- include: shared/open
read_tokens(keys)
for i = 1, #keys do
  local at = FIRST + TEXTS * (i - 1)
  outcomes[i] = leave(keys[i], ARGV[at], unpack(ARGV, at + 2, at + 4))
end
write_tokens()
write()
return outcomes
