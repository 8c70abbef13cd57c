-- limit: grant no more units than a capacity that is about to be lowered allows.
--
-- KEYS[1]    meta      {p:<pool>}:meta   hash: item:stock
-- KEYS[2]    journal   {p:<pool>}:journal
-- ARGV[1]    run_id    of the server at the other end of this connection
-- ARGV[2]    capacity  the new one; empty: the change has ended
--
-- Returns    {'LIMITED'} | {'IN_USE\t<units>'} so many are held or sold | {'UNSEEDED\t<why>'}
-- Writes     the key limit, with LIMITED and only if the capacity is lower than before. It is a key of
--            its own: sales and the reconciler write the level of Postgres meanwhile. The TTL lifts the
--            limit of a process that died
-- Replay     LIMITED, or IN_USE with the current number
-- Cost       O(1)

-- include: shared/batch

local LIMIT_MS = 30000
read_meta({'item:stock'})
-- include: shared/open
if ARGV[2] == '' then
  call('DEL', prefix .. 'limit')
  return {'LIMITED'}
end
local wanted = tonumber(ARGV[2])
if sold + held > wanted then
  return {'IN_USE\t' .. format('%d', sold + held)}
end
if wanted < tonumber(string.match(meta['item:stock'], '/(%d+)$')) then
  call('SET', prefix .. 'limit', ARGV[2], 'PX', LIMIT_MS)
end
return {'LIMITED'}
