-- unpin: clear the pin of a hold that was not sold, after Postgres has invalidated the pin.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      fence, pin_no of the pin, next_no (written by Postgres: even, and higher
--                       than the pin)
--
-- Returns    for each call: UNPINNED | OTHER it has ended, or has another pin number
--            or for all of them: UNSEEDED why
-- Writes     with UNPINNED: the pin number; the hold is due at the end of its lease again
-- Replay     OTHER
-- Cost       O(items)

-- include: shared/batch
-- include: shared/record
-- include: shared/items

local FIRST, TEXTS, NET_MS = 2, 3, 60000
read_meta({})
-- include: shared/open
local outcomes = {}
for at = FIRST, #ARGV, TEXTS do
  local fence, pin_no, next_no = unpack(ARGV, at, at + 2)
  local record = record_of(fence)
  local hold = record and parsed(record)
  local is_ours = hold and hold[1] == 'HELD' and hold[12] == pin_no
  if is_ours then
    hold[12] = next_no
    keep_items(hold, math.max(hold[7] - now, 0) + NET_MS)
    keep_record(fence, table.concat(hold, '\t'))
    set_due(fence, hold[7])
  end
  outcomes[#outcomes + 1] = is_ours and 'UNPINNED' or 'OTHER'
end
write()
return outcomes
