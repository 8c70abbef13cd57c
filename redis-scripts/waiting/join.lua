-- join: give a requester a ticket and its place behind all others.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: seq, pace_ms (measured time between two admissions)
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    grace_ms   how long a ticket lives without a sign of life
-- ARGV[3]    pace_ms    of the policy, or nothing
-- ARGV[4]    waiting_max  of the queue
-- ARGV[5..]  calls      caller, token, digest, requester, seal
--
-- Returns    for each call: TICKET_JOINED position seconds basis record
--            | TICKET_SAME position seconds basis record  the requester has a live ticket
--            | QUEUE_FULL
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     the ticket with TICKET_JOINED, the sign of life with TICKET_SAME; the outcome under its
--            token and in the journal
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(log waiting) for each call

-- include: shared/batch
-- include: shared/tokens
-- include: shared/tickets

local FIRST, TEXTS = 5, 5
local grace_ms, pace_ms, waiting_max = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])

local function join(key, caller, token, digest, requester, seal)
  local replay = spent(key, 'join_queue', digest)
  if replay then
    return replay
  end
  local present = call('HGET', QUEUED, caller .. '\t' .. requester)
  local ticket = present and ticket_of(present)
  if ticket and is_live(ticket) then
    touch(present, grace_ms)
    return remember(key, 'join_queue', digest, 'TICKET_SAME\t' .. position_of(ticket, pace_ms)
      .. table.concat(ticket, '\t'))
  end
  if seq >= 4294967295 then
    return 'UNSEEDED\tFULL'
  end
  if call('ZCARD', QUEUE) >= waiting_max then
    return remember(key, 'join_queue', digest, 'QUEUE_FULL\t')
  end
  seq = seq + 1
  local number = format('%d', epoch * 4294967296 + seq)
  ticket = new_ticket(number, number, caller, requester, seal, '0')
  local record = set_waiting(ticket, grace_ms)
  return remember(key, 'join_queue', digest, 'TICKET_JOINED\t' .. position_of(ticket, pace_ms) .. record)
end

local keys, outcomes = {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
end
read_meta({'pace_ms'})
-- include: shared/open
read_tokens(keys)
for i = 1, #keys do
  local at = FIRST + TEXTS * (i - 1)
  outcomes[i] = join(keys[i], unpack(ARGV, at, at + TEXTS - 1))
end
write_tokens()
write()
return outcomes
