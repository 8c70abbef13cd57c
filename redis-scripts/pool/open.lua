-- open: allow holds in an epoch that was seeded.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that was seeded
--
-- Returns    {'OPEN'} | {'SUPERSEDED'} another epoch has begun, or another server answers
-- Writes     the state, and a line in the journal, the first time
-- Replay     OPEN again
-- Cost       O(1)

-- include: shared/batch

read_meta({})
if run_id ~= ARGV[1] or epoch ~= ARGV[2] then
  return {'SUPERSEDED'}
end
if state == 'OPEN' then
  return {'OPEN'}
end
put('state', 'OPEN')
call('UNLINK', prefix .. 'counted')
note_uncaused('OPENED\t')
write()
return {'OPEN'}
