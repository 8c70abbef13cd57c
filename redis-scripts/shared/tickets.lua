-- state, number, place, caller, requester, seal, joined_at, ended_at, requeued, pass_until
local TICKET = '^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)$'
local QUEUE, TICKETS, QUEUED = prefix .. 'queue', prefix .. 'tickets', prefix .. 'queued'
local PRESENT, PASSES, REVOKED = prefix .. 'present', prefix .. 'passes', prefix .. 'revoked'
local INSIDE, CHOOSING = prefix .. 'inside', prefix .. 'choosing'

local WAITS = 'WAITING'

local function new_ticket(number, place, caller, requester, seal, requeued)
  return {WAITS, number, place, caller, requester, seal, now_text, '', requeued, ''}
end

local function ticket_of(number) -- nil if there is none
  local record = call('HGET', TICKETS, number)
  return record and {string.match(record, TICKET)}
end

local function keep_ticket(ticket)
  local record = table.concat(ticket, '\t')
  call('HSET', TICKETS, ticket[2], record)
  return record
end

local function name_of(ticket)
  return ticket[4] .. '\t' .. ticket[5]
end

-- It waits, or its pass is valid.
local function is_live(ticket)
  return ticket[1] == 'WAITING' or (ticket[1] == 'ADMITTED' and ticket[10] + 0 > now)
end

local function set_waiting(ticket, grace_ms)
  call('ZADD', QUEUE, ticket[3], ticket[2])
  call('ZADD', PRESENT, format('%d', now + grace_ms), ticket[2])
  call('HSET', QUEUED, name_of(ticket), ticket[2])
  return keep_ticket(ticket)
end

-- The requester may join again with a new ticket.
local function forget_name(ticket)
  if call('HGET', QUEUED, name_of(ticket)) == ticket[2] then
    call('HDEL', QUEUED, name_of(ticket))
  end
end

-- The record stays until its line has reached Postgres.
local function end_ticket(ticket, word)
  ticket[1], ticket[8] = word, now_text
  call('ZREM', QUEUE, ticket[2])
  call('ZREM', PRESENT, ticket[2])
  forget_name(ticket)
  return keep_ticket(ticket)
end

-- A pass must not be used any more.
local function revoke(number, pass_until)
  call('ZADD', REVOKED, pass_until, number)
  call('ZREM', INSIDE, number)
  call('ZREM', CHOOSING, number)
end

-- Whether a sign of life is to be written. Most calls find a fresh one and write nothing.
local function is_stale(deadline, grace_ms)
  return deadline and deadline - now < grace_ms * 2 / 3
end

local function touch(number, grace_ms)
  if is_stale(call('ZSCORE', PRESENT, number), grace_ms) then
    call('ZADD', PRESENT, 'XX', format('%d', now + grace_ms), number)
  end
end

-- "<position>\t<seconds>\t<basis>" of the ticket at this position, followed by a tab. The pace is the
-- time between two admissions, measured or of the policy.
local function place_text(position, policy_pace_ms)
  local measured = get('pace_ms')
  local pace = measured or policy_pace_ms
  if pace == '' then
    return format('%d', position) .. '\t\t\t'
  end
  return format('%d\t%d\t', position, math.ceil(position * pace / 1000))
    .. (measured and 'MEASURED' or 'POLICY') .. '\t'
end

-- The same of a ticket of the queue; empty for one that does not wait.
local function position_of(ticket, policy_pace_ms)
  local rank = ticket[1] == 'WAITING' and call('ZRANK', QUEUE, ticket[2])
  return rank and place_text(rank + 1, policy_pace_ms) or '\t\t\t'
end
