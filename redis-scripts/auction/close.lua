-- close: take no more bids in an auction.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: closes_at, last_sequence
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    when       NOW: before closes_at too | DUE: only from closes_at on
--
-- Returns    {'CLOSED\t<epoch>\t<last_sequence>\t<closed_at>\t<lapsed>'} no bid of this epoch has a
--            higher fence; lapsed is the number of bids whose lease ended before the close, which have to be
--            swept first | {'EARLY\t<closes_at>'} | {'UNSEEDED\t<why>'}
-- Writes     the first time in an epoch: last_sequence, closes_at if it is later than now, and a line in
--            the journal behind the lines of all bids
-- Replay     CLOSED, with the current number of lapsed bids
-- Cost       O(log bids)

-- include: shared/batch

read_meta({'closes_at', 'last_sequence'})
-- include: shared/open
local closes_at = tonumber(meta['closes_at'])
if not meta['last_sequence'] then
  if now < closes_at and ARGV[2] ~= 'NOW' then
    return {'EARLY\t' .. format('%d', closes_at)}
  end
  closes_at = math.min(now, closes_at)
  put('closes_at', format('%d', closes_at))
  put('last_sequence', format('%d', epoch * 4294967296 + seq))
  version = version + 1
  note_uncaused('CLOSING\t' .. meta['last_sequence'] .. '\t' .. meta['closes_at'])
  write()
end
local lapsed = call('ZCOUNT', DUE, '-inf', format('%d', closes_at))
return {'CLOSED\t' .. epoch .. '\t' .. meta['last_sequence'] .. '\t' .. meta['closes_at'] .. '\t'
  .. format('%d', lapsed)}
