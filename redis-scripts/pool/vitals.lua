-- vitals: how much a pool holds, and how much of its journal waits for Postgres.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal   stream, one field: lines
-- ARGV[1]    run_id   of the server at the other end of this connection
--
-- Returns    {'VITALS\t<epoch>\t<lines>\t<holds>\t<oldest_due>\t<oldest_line>\t<now>'}  the last three
--            are moments in ms; of what there is none of, now
--            | {'UNSEEDED\t<why>'}
-- Writes     nothing
-- Replay     VITALS again, of another now
-- Cost       O(log(holds))

-- include: shared/batch

read_meta({})
-- include: shared/open
local due = call('ZRANGE', DUE, 0, 0, 'WITHSCORES')[2]
local first = call('XRANGE', JOURNAL, '-', '+', 'COUNT', 1)[1]
local waiting, since = 0, now_text
if first then -- its header has the number of its first line; one of an earlier epoch counts for all
  local of_epoch, number = string.match(first[2][2], '^(%d+)\t%d+\t(%d+)')
  waiting = of_epoch == epoch and line_no - number or line_no + 1
  since = string.match(first[1], '^%d+')
end
return {'VITALS\t' .. epoch .. '\t' .. format('%d\t%d', waiting, call('ZCARD', DUE)) .. '\t'
  .. (due and format('%d', due) or now_text) .. '\t' .. since .. '\t' .. now_text}
