-- top: the highest bids of an auction.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: closes_at
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    count      maximum of bids
--
-- Returns    {'TOP\t<epoch>\t<version>\t<bids>\t<closes_at>\t<open>', record…} the number of bids; open is OPEN
--            while bids are taken, or nothing; then the records of live bids, the leader first
--            | {'UNSEEDED\t<why>'}
-- Writes     nothing
-- Replay     TOP, with the current bids
-- Cost       O(log bids + count + lapsed bids that the sweep has not ended, at most 200)

-- include: shared/batch
-- include: shared/record
-- include: shared/bids

local LAPSED_MAX = 200
read_meta({'closes_at'})
-- include: shared/open
local count = tonumber(ARGV[2])
local bids = call('ZCARD', BIDS)
local found = {'TOP\t' .. epoch .. '\t' .. format('%d\t%d', version, bids) .. '\t' .. (meta['closes_at'] or '') .. '\t'
  .. (now < closes_at() and 'OPEN' or '')}
for _, member in ipairs(call('ZRANGE', BIDS, 0, count + LAPSED_MAX - 1)) do
  local hold = bid_of(member)
  if #found > count then
    break
  end
  if hold and not has_lapsed(hold) then
    found[#found + 1] = table.concat(hold, '\t')
  end
end
return found
