-- lookup: the stored entry of a token, and its hold.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      caller, token
--
-- Returns    for each call: SPENT entry, then a record separator and the current record of the hold,
--            if the entry has only its fence and salt | UNSPENT
--            or for all of them: UNSEEDED why
-- Writes     nothing
-- Replay     SPENT, within the window
-- Cost       O(1)

-- include: shared/batch
-- include: shared/tokens

local FIRST, TEXTS = 2, 2
read_meta({})
-- include: shared/open
local keys, outcomes = {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
end
read_tokens(keys)
for i = 1, #keys do
  local entry = entries[keys[i]]
  local runs_until = entry and string.match(entry, '\tRUNNING\t(%d+)$')
  if not entry or now - string.match(entry, '^%d+') >= window + 0
      or (runs_until and runs_until + 0 <= now) then
    outcomes[i] = 'UNSPENT'
  else
    local fence = string.match(entry, '\tHELD\t(%d+)\t[^\t]+$')
    outcomes[i] = 'SPENT\t' .. entry .. LINE .. (fence and record_of(fence) or '')
  end
end
return outcomes
