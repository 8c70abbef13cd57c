-- admit: take tickets out of the queue whose admission is committed in Postgres.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  tickets    number, pass_until in ms, and REVOKED or VALID
--
-- Returns    {'ADMITTED\t<count>'} of the tickets that waited | {'UNSEEDED\t<why>'}
-- Writes     the pass of each ticket, or the end of a ticket whose pass was revoked, and its line. A
--            requester who has left meanwhile does not come inside
-- Replay     ADMITTED, with none
-- Cost       O(tickets × log waiting)

-- include: shared/batch
-- include: shared/tickets

local FIRST, TEXTS = 2, 3
read_meta({})
-- include: shared/open
local count = 0
for at = FIRST, #ARGV, TEXTS do
  local number, pass_until, is_valid = ARGV[at], ARGV[at + 1], ARGV[at + 2] == 'VALID'
  local ticket = ticket_of(number)
  is_valid = is_valid and not call('ZSCORE', REVOKED, number)
  call('ZADD', PASSES, pass_until, number)
  if ticket and ticket[1] == 'WAITING' then
    ticket[10] = pass_until
    count = count + 1
    if is_valid then
      ticket[1] = 'ADMITTED'
      keep_ticket(ticket)
      call('ZADD', INSIDE, pass_until, number)
      call('ZADD', CHOOSING, pass_until, number)
    else
      note_uncaused('TICKET_EXPIRED\t' .. end_ticket(ticket, 'EXPIRED'))
    end
  end
  call('ZREM', QUEUE, number)
  call('ZREM', PRESENT, number)
  if not is_valid then
    revoke(number, pass_until)
  end
end
write()
return {'ADMITTED\t' .. format('%d', count)}
