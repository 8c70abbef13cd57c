-- behind: put tickets behind all others, under their old numbers.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: seq
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    grace_ms   how long a ticket lives without a sign of life
-- ARGV[3..]  calls      number, caller, requester, seal, committed (the place up to which tickets
--                       were admitted; or nothing, for a ticket that nobody knows any more)
--
-- Returns    for each call: TICKET_REQUEUED record
--            | PRESENT  Redis has it, and it has ended, is admitted, or has a place behind the
--              committed one; without a committed place: Redis has it
--            | OTHER  the requester has another live ticket by now
--            | ABSENT  there is no such ticket to issue again: it has left the queue meanwhile, or
--              its number is not of an earlier epoch
--            or for all of them: UNSEEDED why
-- Writes     the ticket with a new place, and its line, with TICKET_REQUEUED
-- Replay     PRESENT
-- Cost       O(log waiting) for each call

-- include: shared/batch
-- include: shared/tickets

local FIRST, TEXTS = 3, 5
local grace_ms = tonumber(ARGV[2])

local function put_behind(number, caller, requester, seal, committed)
  local ticket = ticket_of(number)
  if ticket and (committed == '' or ticket[1] ~= 'WAITING' or ticket[3] + 0 > committed + 0) then
    return 'PRESENT'
  end
  if not ticket and (committed ~= '' or number / 4294967296 >= epoch + 0) then
    return 'ABSENT'
  end
  local other = not ticket and call('HGET', QUEUED, caller .. '\t' .. requester)
  if other and is_live(ticket_of(other) or {''}) then
    return 'OTHER'
  end
  if seq >= 4294967295 then
    return 'UNSEEDED\tFULL'
  end
  ticket = ticket or new_ticket(number, '', caller, requester, seal, '1')
  seq = seq + 1
  ticket[3], ticket[9] = format('%d', epoch * 4294967296 + seq), '1'
  local outcome = 'TICKET_REQUEUED\t' .. set_waiting(ticket, grace_ms)
  note_uncaused(outcome)
  return outcome
end

read_meta({})
-- include: shared/open
local outcomes = {}
for at = FIRST, #ARGV, TEXTS do
  outcomes[#outcomes + 1] = put_behind(unpack(ARGV, at, at + TEXTS - 1))
end
write()
return outcomes
