-- survivors: the live holds that a new epoch finds in Redis, in parts.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3]    from     number of holds to skip, in the order of their lease ends
-- ARGV[4]    to       index of the last one
--
-- Returns    {'SURVIVORS\t<fences>'} divided by line feeds | {'SUPERSEDED'}
-- Writes     nothing
-- Replay     SURVIVORS
-- Cost       O(log due + holds read)

-- include: shared/batch

read_meta({})
-- include: shared/seeding
return {'SURVIVORS\t' .. table.concat(call('ZRANGE', DUE, ARGV[3], ARGV[4]), '\n')}
