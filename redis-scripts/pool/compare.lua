-- compare: how items stand in Postgres; whatever is said otherwise here is put right.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2..]  entries  item and value by turns
--
-- Returns    {'COMPARED\t<drift>'} how many had to be put right | {'UNSEEDED\t<why>'}
-- Writes     the entries that are missing, or that differ and are not newer here
-- Replay     COMPARED, with nothing to put right
-- Cost       O(entries)

-- include: shared/batch
-- include: shared/versions
-- include: shared/learn
-- include: shared/entries

read_meta(fields_of_items(2))
-- include: shared/open
local drift = learn(2, true)
version = version + drift
write()
return {'COMPARED\t' .. format('%d', drift)}
