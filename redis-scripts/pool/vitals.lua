-- vitals: the number of live holds, and of journal lines that are not in Postgres yet.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal   stream, one field: lines
-- ARGV[1]    run_id   of the server at the other end of this connection
--
-- Returns    {'VITALS\t<epoch>\t<lines>\t<holds>\t<oldest_due>\t<oldest_line>\t<now>'}  the last three
--            are times in ms; now, if there is no hold or no line
--            | {'UNSEEDED\t<why>'}
-- Writes     nothing
-- Replay     VITALS, with the current values
-- Cost       O(log(holds))

-- include: shared/batch

read_meta({})
-- include: shared/open
local due = call('ZRANGE', DUE, 0, 0, 'WITHSCORES')[2]
local first = call('XRANGE', JOURNAL, '-', '+', 'COUNT', 1)[1]
local waiting, since = 0, now_text
if first then -- its header has the number of its first line; an earlier epoch counts as all lines
  local of_epoch, number = string.match(first[2][2], '^(%d+)\t%d+\t(%d+)')
  waiting = of_epoch == epoch and line_no - number or line_no + 1
  since = string.match(first[1], '^%d+')
end
return {'VITALS\t' .. epoch .. '\t' .. format('%d\t%d', waiting, call('ZCARD', DUE)) .. '\t'
  .. (due and format('%d', due) or now_text) .. '\t' .. since .. '\t' .. now_text}
