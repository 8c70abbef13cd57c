-- survivors: the live holds that a new epoch finds in memory, a part of them at a time.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3]    from     how many to skip, in the order of their leases' ends
-- ARGV[4]    to       the last one wanted
--
-- Returns    {'SURVIVORS\t<fences>'} divided by line feeds | {'SUPERSEDED'}
-- Writes     nothing
-- Replay     SURVIVORS
-- Cost       O(log due + asked for)

-- include: shared/batch

read_meta({})
-- include: shared/seeding
return {'SURVIVORS\t' .. table.concat(call('ZRANGE', DUE, ARGV[3], ARGV[4]), '\n')}
