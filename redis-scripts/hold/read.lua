-- read: the records of some holds, and Redis' clock.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      the fences of a call's holds, divided by line feeds
--
-- Returns    for each call: HOLDS now record…  each after a record separator, empty for a
--            hold that is not here. The clock of an auction stops at its close
--            or for all of them: UNSEEDED why
-- Writes     nothing
-- Replay     HOLDS, with the current records
-- Cost       O(holds)

-- include: shared/batch

local FIRST = 2
read_meta({'closes_at'})
-- include: shared/open
local outcomes, at_ms = {}, math.min(now, tonumber(meta['closes_at'] or now))
for at = FIRST, #ARGV do
  local found = {'HOLDS\t' .. format('%d', at_ms)}
  for fence in string.gmatch(ARGV[at], '[^\n]+') do
    found[#found + 1] = record_of(fence) or ''
  end
  outcomes[#outcomes + 1] = table.concat(found, LINE)
end
return outcomes
