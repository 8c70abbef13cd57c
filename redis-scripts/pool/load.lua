-- load: load a part of the catalogue into an epoch that is being seeded.
--
-- KEYS[1]    meta     {p:<pool>}:meta   hash: item:<item> to version, and SOLD or CLAIMED if taken
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  entries  item and value by turns
--
-- Returns    {'LOADED'} | {'SUPERSEDED'} another epoch has begun, or this one is open
-- Writes     the entries whose version is higher than the stored one, and the number of sold items
-- Replay     LOADED
-- Cost       O(entries)

-- include: shared/batch
-- include: shared/versions
-- include: shared/update_items
-- include: shared/entries

read_meta(fields_of_items(3))
-- include: shared/seeding
update_items(3)
write()
return {'LOADED'}
