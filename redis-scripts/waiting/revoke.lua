-- revoke: end a pass that Postgres has revoked.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    number     of the ticket
-- ARGV[3]    pass_until  in ms
--
-- Returns    {'REVOKED'} | {'UNSEEDED\t<why>'}
-- Writes     the end of the ticket, and the number of the pass until it would end by itself
-- Replay     REVOKED
-- Cost       O(log passes)

-- include: shared/batch
-- include: shared/tickets

read_meta({})
-- include: shared/open
local number, pass_until = ARGV[2], ARGV[3]
local ticket = ticket_of(number)
if ticket and ticket[1] == 'ADMITTED' then
  ticket[1], ticket[8] = 'EXPIRED', now_text
  forget_name(ticket)
  note_uncaused('TICKET_EXPIRED\t' .. keep_ticket(ticket))
end
call('ZADD', PASSES, pass_until, number)
revoke(number, pass_until)
write()
return {'REVOKED'}
