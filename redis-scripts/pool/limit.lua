-- limit: grant no more units than a capacity that is about to be lowered allows.
--
-- KEYS[1]    meta      {p:<pool>}:meta   hash: item:stock
-- KEYS[2]    journal   {p:<pool>}:journal
-- ARGV[1]    run_id    of the server at the other end of this connection
-- ARGV[2]    capacity  the new one
--
-- Returns    {'LIMITED'} | {'IN_USE\t<units>'} so many are held or sold | {'UNSEEDED\t<why>'}
-- Writes     the capacity, with LIMITED and only if it is lower than before; the version stays, so
--            that Postgres' value, old or new, replaces it
-- Replay     LIMITED, or IN_USE with the current number
-- Cost       O(1)

-- include: shared/batch

read_meta({'item:stock'})
-- include: shared/open
local wanted = tonumber(ARGV[2])
if sold + held > wanted then
  return {'IN_USE\t' .. format('%d', sold + held)}
end
local before, capacity = string.match(meta['item:stock'], '^(.*)/(%d+)$')
if wanted < tonumber(capacity) then
  put('item:stock', before .. '/' .. ARGV[2])
  version = version + 1
  write()
end
return {'LIMITED'}
