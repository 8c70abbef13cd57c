-- compare: how items stand in Postgres; whatever is said otherwise here is put right.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2..]  entries  item and value by turns
--
-- Returns    {'COMPARED', drift} how many had to be put right | {'UNSEEDED', why}
-- Writes     the entries that are missing, or that differ and are not newer here
-- Replay     COMPARED, with nothing to put right
-- Cost       O(entries)

-- include: shared/now
-- include: shared/meta
-- include: shared/open
-- include: shared/versions
-- include: shared/learn

local drift = learn(2, true)
if drift > 0 then
  redis.call('HSET', KEYS[1], 'version', format('%d', version + drift))
end
return {'COMPARED', format('%d', drift)}
