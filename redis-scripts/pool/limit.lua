-- limit: grant no more units than a capacity that is about to be set allows.
--
-- KEYS[1]    meta      {p:<pool>}:meta   hash: held, sold
-- KEYS[2]    journal   {p:<pool>}:journal
-- ARGV[1]    run_id    of the server at the other end of this connection
-- ARGV[2]    owner     of the limit: each change has its own
-- ARGV[3]    capacity  the new one; empty: the change has ended
--
-- Returns    {'LIMITED'} | {'IN_USE\t<units>'} so many are held or sold | {'UNSEEDED\t<why>'}
-- Writes     with LIMITED the field of the owner in the hash limits, or its end. It is a key of its own:
--            sales and the reconciler write the level of Postgres meanwhile. The capacity may be higher
--            than that of Redis: that of Postgres may be on its way. The TTL lifts the limits of
--            processes that died
-- Replay     LIMITED, or IN_USE with the current number
-- Cost       O(1)

-- include: shared/batch

local LIMIT_MS = 30000
local limits, owner = prefix .. 'limits', ARGV[2]
read_meta({})
-- include: shared/open
if ARGV[3] == '' then
  call('HDEL', limits, owner)
  return {'LIMITED'}
end
local wanted = tonumber(ARGV[3])
if sold + held > wanted then
  return {'IN_USE\t' .. format('%d', sold + held)}
end
call('HSET', limits, owner, ARGV[3])
call('PEXPIRE', limits, LIMIT_MS)
return {'LIMITED'}
