-- holder: the live hold that has an item.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      an item
--
-- Returns    for each call: HOLDS now record  after a record separator; the record is empty if nobody
--            holds the item
--            or for all of them: UNSEEDED why
-- Writes     nothing
-- Replay     HOLDS, with the current record
-- Cost       O(1) for each call

-- include: shared/batch

local FIRST = 2
read_meta({})
-- include: shared/open
local outcomes = {}
for at = FIRST, #ARGV do
  local fence = call('GET', prefix .. 'item:' .. ARGV[at])
  outcomes[#outcomes + 1] = 'HOLDS\t' .. now_text .. LINE .. (fence and record_of(fence) or '')
end
return outcomes
