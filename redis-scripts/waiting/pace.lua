-- pace: store the measured time between two admissions, for estimates.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: pace_ms
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    pace_ms    or nothing, if nobody was admitted lately
--
-- Returns    {'NOTED'} | {'UNSEEDED\t<why>'}
-- Writes     the pace
-- Replay     NOTED
-- Cost       O(1)

-- include: shared/batch

read_meta({})
-- include: shared/open
if ARGV[2] == '' then
  call('HDEL', META, 'pace_ms')
else
  call('HSET', META, 'pace_ms', ARGV[2])
end
return {'NOTED'}
