-- keep: keep a hold that a checkout has claimed for as long as the claim lasts.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      fence, pin_no of the claim's pin, until (when the sweep has to check it
--                       again)
--
-- Returns    for each call: KEPT | OTHER it has ended, or has another pin number
--            or for all of them: UNSEEDED why
-- Writes     with KEPT: the due time of the hold and the TTL of its items
-- Replay     KEPT
-- Cost       O(items)

-- include: shared/batch
-- include: shared/record
-- include: shared/items

local FIRST, TEXTS, NET_MS = 2, 3, 60000
read_meta({})
-- include: shared/open
local outcomes = {}
for at = FIRST, #ARGV, TEXTS do
  local fence, pin_no, keep_until = unpack(ARGV, at, at + 2)
  local record = record_of(fence)
  local hold = record and parsed(record)
  local is_ours = hold and hold[1] == 'HELD' and hold[12] == pin_no
  if is_ours then
    local left = math.max(keep_until - now, 0)
    keep_items(hold, left + NET_MS)
    set_due(fence, format('%d', now + left))
  end
  outcomes[#outcomes + 1] = is_ours and 'KEPT' or 'OTHER'
end
write()
return outcomes
