-- owned: load what requesters have bought into an epoch that is being seeded.
--
-- KEYS[1]    meta     {p:<pool>}:meta   hash: rules, own:<hash>
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  sales    caller, requester, fence, and number of items or units that are not voided
--
-- Returns    {'LOADED'} | {'SUPERSEDED'} another epoch has begun, or this one is open
-- Writes     the numbers, in a pool with a limit of items per requester
-- Replay     LOADED
-- Cost       O(sales)

-- include: shared/batch

read_meta({})
-- include: shared/seeding
for i = 3, #ARGV, 4 do
  set_own(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3] + 0)
end
write()
return {'LOADED'}
