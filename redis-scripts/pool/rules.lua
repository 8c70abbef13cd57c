-- rules: store the rules of a changed pool.
--
-- KEYS[1]    meta     {p:<pool>}:meta   hash: rules
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    rules    version, sales_from, sales_until and items_max, divided by tabs
--
-- Returns    {'KNOWN'} these rules or newer ones are stored | {'UNSEEDED\t<why>'}
-- Writes     the rules whose version is higher than the stored one, also while the pool is being
--            seeded. A pool that is UNSEEDED gets its rules when it is seeded: they are read after
--            that has begun
-- Replay     KNOWN
-- Cost       O(1)

-- include: shared/batch

read_meta({})
if run_id ~= ARGV[1] then
  return {'UNSEEDED\t' .. (run_id and 'MOVED' or 'LOST')}
end
if tonumber(string.match(ARGV[2], '^%d+')) > tonumber(string.match(rules or '-1', '^%-?%d+')) then
  put('rules', ARGV[2])
  write()
end
return {'KNOWN'}
