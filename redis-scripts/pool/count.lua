-- count: the counts of a pool.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
--
-- Returns    {'COUNTS\t<epoch>\t<version>\t<held>\t<sold>\t<capacity>\t<blocked>\t<rules>'} the
--            capacity of a pool of a quantity, or nothing; the version of the rules
--            | {'UNSEEDED\t<why>'}
-- Writes     nothing
-- Replay     COUNTS, with the current numbers
-- Cost       O(1)

-- include: shared/batch

read_meta({'item:stock', 'blocked'})
-- include: shared/open
return {'COUNTS\t' .. epoch .. '\t' .. format('%d\t%d\t%d', version, held, sold) .. '\t'
  .. (string.match(meta['item:stock'] or '', '/(%d+)$') or '') .. '\t' .. (meta['blocked'] or '0') .. '\t'
  .. string.match(rules or '0', '^%d+')}
