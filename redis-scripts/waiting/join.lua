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
--            | QUEUE_FULL | SALES_CLOSED the sale has ended
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
local grace_until = format('%d', now + grace_ms)
local keys, names, outcomes = {}, {}, {}
local numbers = {} -- of the tickets of the requesters, by name
local waiting -- the length of the queue, with the tickets of this batch
local queue_args, present_args, ticket_args, name_args = {}, {}, {}, {}

local function add(args, one, other)
  local at = #args
  args[at + 1], args[at + 2] = one, other
end

local function write_tickets()
  if #queue_args > 0 then
    call('ZADD', QUEUE, unpack(queue_args))
    call('ZADD', PRESENT, unpack(present_args))
    call('HSET', TICKETS, unpack(ticket_args))
    call('HSET', QUEUED, unpack(name_args))
    queue_args, present_args, ticket_args, name_args = {}, {}, {}, {}
  end
end

-- The live ticket of a requester, or nil.
local function live_ticket(name)
  local number = numbers[name]
  if not number then
    return nil
  end
  write_tickets() -- it may be one of this batch
  local ticket = ticket_of(number)
  return ticket and is_live(ticket) and ticket
end

-- Nobody is behind it.
local function new_last(name, caller, requester, seal)
  seq = seq + 1
  waiting = waiting + 1
  local number = format('%d', epoch * 4294967296 + seq)
  local record = table.concat(new_ticket(number, number, caller, requester, seal, '0'), '\t')
  add(queue_args, number, number)
  add(present_args, grace_until, number)
  add(ticket_args, number, record)
  add(name_args, name, number)
  numbers[name] = number
  return 'TICKET_JOINED\t' .. place_text(waiting, pace_ms) .. record
end

local function join(key, name, caller, digest, requester, seal)
  local replay = spent(key, 'join_queue', digest)
  if replay then
    return replay
  end
  local ticket = live_ticket(name)
  if ticket then
    touch(ticket[2], grace_ms)
    return remember(key, 'join_queue', digest, 'TICKET_SAME\t' .. position_of(ticket, pace_ms)
      .. table.concat(ticket, '\t'))
  end
  if are_sales_over() then -- before the sale begins, requesters may queue for it
    return remember(key, 'join_queue', digest, 'SALES_CLOSED')
  end
  if seq >= 4294967295 then
    return 'UNSEEDED\tFULL'
  end
  if waiting >= waiting_max then
    return remember(key, 'join_queue', digest, 'QUEUE_FULL\t')
  end
  return remember(key, 'join_queue', digest, new_last(name, caller, requester, seal))
end

for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
  names[#names + 1] = ARGV[at] .. '\t' .. ARGV[at + 3]
end
read_meta({'pace_ms'})
-- include: shared/open
read_tokens(keys)
waiting = call('ZCARD', QUEUE)
for i, number in ipairs(call('HMGET', QUEUED, unpack(names))) do
  numbers[names[i]] = number
end
for i = 1, #keys do
  local at = FIRST + TEXTS * (i - 1)
  outcomes[i] = join(keys[i], names[i], ARGV[at], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
end
write_tickets()
write_tokens()
write()
return outcomes
