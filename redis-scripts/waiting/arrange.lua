-- arrange: give waiting tickets the places of a raffle.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: version
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  tickets    number and place
--
-- Returns    {'ARRANGED\t<count>'} of the tickets that got another place | {'UNSEEDED\t<why>'}
-- Writes     the places. A ticket that has ended keeps its place
-- Replay     ARRANGED, with none
-- Cost       O(tickets × log waiting)

-- include: shared/batch
-- include: shared/tickets

local FIRST, TEXTS = 2, 2
read_meta({})
-- include: shared/open
local count = 0
for at = FIRST, #ARGV, TEXTS do
  local ticket, place = ticket_of(ARGV[at]), ARGV[at + 1]
  if ticket and ticket[1] == 'WAITING' and ticket[3] ~= place then
    ticket[3] = place
    keep_ticket(ticket)
    call('ZADD', QUEUE, 'XX', place, ARGV[at])
    count = count + 1
  end
end
if count > 0 then
  call('HSET', META, 'version', format('%d', version + 1))
end
return {'ARRANGED\t' .. format('%d', count)}
