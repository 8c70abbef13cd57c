-- sweep: end waiting tickets that gave no sign of life in time, and forget passes that are over.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    count      maximum of tickets, and of passes
--
-- Returns    {'SWEPT\t<due>'} the number of tickets whose time was over | {'UNSEEDED\t<why>'}
-- Writes     the end of each ticket, and its line; removes tickets whose pass is over, because
--            Postgres has their admission
-- Replay     SWEPT, with the tickets that became due since
-- Cost       O(count × log waiting)

-- include: shared/batch
-- include: shared/tickets

read_meta({})
-- include: shared/open
local due = 0
for _, number in ipairs(call('ZRANGEBYSCORE', PRESENT, '-inf', now_text, 'LIMIT', 0, ARGV[2])) do
  local ticket = ticket_of(number)
  if ticket and ticket[1] == 'WAITING' then
    note_uncaused('TICKET_EXPIRED\t' .. end_ticket(ticket, 'EXPIRED'))
  else
    call('ZREM', PRESENT, number)
  end
  due = due + 1
end
for _, number in ipairs(call('ZRANGEBYSCORE', PASSES, '-inf', now_text, 'LIMIT', 0, ARGV[2])) do
  local ticket = ticket_of(number)
  if ticket and ticket[1] == 'ADMITTED' then
    forget_name(ticket)
    call('HDEL', TICKETS, number)
  end
  call('ZREM', PASSES, number)
  call('ZREM', INSIDE, number)
  call('ZREM', CHOOSING, number)
  call('ZREM', REVOKED, number)
end
write()
return {'SWEPT\t' .. format('%d', due)}
