-- compare: compare items with their state in Postgres, and correct the differences.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2..]  entries  item and value by turns
--
-- Returns    {'COMPARED\t<drift>'} number of corrected items | {'UNSEEDED\t<why>'}
-- Writes     the entries that are missing, or differ and are not newer here
-- Replay     COMPARED, without differences
-- Cost       O(entries)

-- include: shared/batch
-- include: shared/versions
-- include: shared/update_items
-- include: shared/entries

read_meta(fields_of_items(2))
-- include: shared/open
local drift = update_items(2, true)
version = version + drift
write()
return {'COMPARED\t' .. format('%d', drift)}
