-- count: the counts of a pool.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
--
-- Returns    {'COUNTS\t<epoch>\t<version>\t<held>\t<sold>'} | {'UNSEEDED\t<why>'}
-- Writes     nothing
-- Replay     COUNTS, with the current numbers
-- Cost       O(1)

-- include: shared/batch

read_meta({})
-- include: shared/open
return {'COUNTS\t' .. epoch .. '\t' .. format('%d\t%d\t%d', version, held, sold)}
