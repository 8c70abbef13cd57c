-- look: tell where tickets are, and take that for a sign of life.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: held, sold, blocked, pace_ms, item:stock
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    grace_ms   how long a ticket lives without a sign of life
-- ARGV[3]    pace_ms    of the policy, or nothing
-- ARGV[4]    size       number of items of the pool; of a pool of a quantity, meta has it
-- ARGV[5]    read       the version of the pool that the caller has read
-- ARGV[6..]  calls      number, caller, requester
--
-- Returns    for each call: TICKET now is_sold_out position seconds basis record  is_sold_out is 1 if
--            the ticket waits and everything is sold or out of sale, in a pool whose size is known
--            | ABSENT  it has ended and only Postgres has it, it was lost, or it never existed
--            or for all of them: UNSEEDED why
-- Writes     the sign of life of a waiting ticket, if less than two thirds of its grace are left
-- Replay     TICKET, with the current position
-- Cost       O(log waiting) for each call

-- include: shared/batch
-- include: shared/tickets

local FIRST, TEXTS = 6, 3
local OWNER = '^([^\t]*)\t[^\t]*\t[^\t]*\t([^\t]*)\t([^\t]*)\t' -- state, caller and requester of a record
local grace_ms, pace_ms = tonumber(ARGV[2]), ARGV[3]
local numbers, outcomes, present_args = {}, {}, {}
read_meta({'pace_ms', 'item:stock', 'blocked'})
-- include: shared/open
local size = tonumber(string.match(meta['item:stock'] or '', '/(%d+)$') or ARGV[4])
local is_sold_out = held <= 0 and sold + (meta['blocked'] or 0) >= size
  and not (is_changed_since(ARGV[5]) and not meta['item:stock'])
for at = FIRST, #ARGV, TEXTS do
  numbers[#numbers + 1] = ARGV[at]
end
local records = call('HMGET', TICKETS, unpack(numbers))
local deadlines = call('ZMSCORE', PRESENT, unpack(numbers))
for i, number in ipairs(numbers) do
  local at = FIRST + TEXTS * (i - 1)
  local state, caller, requester = string.match(records[i] or '', OWNER)
  if caller == ARGV[at + 1] and requester == ARGV[at + 2] then
    if is_stale(deadlines[i], grace_ms) then
      present_args[#present_args + 1] = format('%d', now + grace_ms)
      present_args[#present_args + 1] = number
    end
    outcomes[i] = 'TICKET\t' .. now_text .. '\t'
      .. ((is_sold_out and state == 'WAITING') and '1' or '0') .. '\t'
      .. position_of({state, number}, pace_ms) .. records[i]
  else
    outcomes[i] = 'ABSENT'
  end
end
if #present_args > 0 then
  call('ZADD', PRESENT, 'XX', unpack(present_args))
end
return outcomes
