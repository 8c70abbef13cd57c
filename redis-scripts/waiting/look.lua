-- look: tell where tickets are, and take that for a sign of life.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: held, sold, pace_ms, item:stock
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    grace_ms   how long a ticket lives without a sign of life
-- ARGV[3]    pace_ms    of the policy, or nothing
-- ARGV[4]    size       number of items of the pool; of a pool of a quantity, meta has it
-- ARGV[5..]  calls      number, caller, requester
--
-- Returns    for each call: TICKET now is_sold_out position seconds basis record  is_sold_out is 1 if
--            the ticket waits and everything is sold
--            | ABSENT  it has ended and only Postgres has it, it was lost, or it never existed
--            or for all of them: UNSEEDED why
-- Writes     the sign of life of a waiting ticket, if less than two thirds of its grace are left
-- Replay     TICKET, with the current position
-- Cost       O(log waiting) for each call

-- include: shared/batch
-- include: shared/tickets

local FIRST, TEXTS = 5, 3
local grace_ms, pace_ms = tonumber(ARGV[2]), ARGV[3]
local outcomes = {}
read_meta({'pace_ms', 'item:stock'})
-- include: shared/open
local size = tonumber(string.match(meta['item:stock'] or '', '/(%d+)$') or ARGV[4])
local is_sold_out = held <= 0 and sold >= size
for at = FIRST, #ARGV, TEXTS do
  local number, caller, requester = unpack(ARGV, at, at + TEXTS - 1)
  local ticket = ticket_of(number)
  if ticket and ticket[4] == caller and ticket[5] == requester then
    touch(number, grace_ms)
    outcomes[#outcomes + 1] = 'TICKET\t' .. now_text .. '\t'
      .. ((is_sold_out and ticket[1] == 'WAITING') and '1' or '0') .. '\t'
      .. position_of(ticket, pace_ms) .. table.concat(ticket, '\t')
  else
    outcomes[#outcomes + 1] = 'ABSENT'
  end
end
return outcomes
