-- restore: restore tickets that Postgres has into an epoch that is being seeded.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    epoch      that is being seeded
-- ARGV[3]    grace_ms   how long a ticket lives without a sign of life
-- ARGV[4..]  tickets    record and kind: WAITING; CHOOSING admitted; INSIDE admitted, with a hold;
--                       BOUGHT admitted, and has bought; REVOKED with a pass that is not valid
--
-- Returns    {'RESTORED'} | {'SUPERSEDED'}
-- Writes     each ticket with a whole grace, because its last signs of life may be lost
-- Replay     RESTORED
-- Cost       O(tickets × log waiting)

-- include: shared/batch
-- include: shared/tickets

local FIRST, TEXTS = 4, 2
local grace_ms = tonumber(ARGV[3])
read_meta({})
-- include: shared/seeding

local function restore_pass(ticket, kind)
  call('ZADD', PASSES, ticket[10], ticket[2])
  if kind == 'REVOKED' then
    call('ZADD', REVOKED, ticket[10], ticket[2])
    return
  end
  call('HSET', QUEUED, name_of(ticket), ticket[2])
  keep_ticket(ticket)
  if kind ~= 'BOUGHT' then
    call('ZADD', INSIDE, ticket[10], ticket[2])
  end
  if kind == 'CHOOSING' then
    call('ZADD', CHOOSING, ticket[10], ticket[2])
  end
end

for at = FIRST, #ARGV, TEXTS do
  local ticket, kind = {string.match(ARGV[at], TICKET)}, ARGV[at + 1]
  if kind == 'WAITING' then
    set_waiting(ticket, grace_ms)
  else
    restore_pass(ticket, kind)
  end
end
return {'RESTORED'}
