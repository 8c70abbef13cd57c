-- sweep: end holds whose lease is over, oldest first, and drop old token buckets.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    count      maximum of holds
--
-- Returns    {'SWEPT\t<next>', for each ended hold 'EXPIRED\t<lag_ms>', the time since the end of its
--            lease, and for each pinned hold 'PINNED\t<epoch>\t<record>'}; next is when the next hold
--            or bucket is due, in ms, or empty
--            | {'UNSEEDED\t<why>'}
-- Writes     the end of each hold, and its line in the journal. Postgres decides on pinned holds: they
--            keep their items and are due again after a second. It decides on the bids that were live
--            at the close of their auction too: they are due again after a minute. Token buckets older than a window
--            are removed
-- Replay     SWEPT, with the holds that became due since
-- Cost       O(count × items)

-- include: shared/batch
-- include: shared/tokens
-- include: shared/record
-- include: shared/ending
-- include: shared/items

local PINNED_MS, FROZEN_MS, NET_MS = 1000, 60000, 60000
local ITEMS_MAX = 200 -- about two milliseconds; the next call continues
read_meta({})
-- include: shared/open
find_bucket()
local fences = call('ZRANGEBYSCORE', DUE, '-inf', now_text, 'LIMIT', 0, ARGV[2])
local swept = {''}
read_holds(fences)
local items = 0
for _, fence in ipairs(fences) do
  if items >= ITEMS_MAX then
    break
  end
  local record = record_of(fence)
  local hold = record and parsed(record)
  items = items + (hold and hold[14] ~= '' and count_of(hold) or 1)
  if hold and hold[1] == 'HELD' and is_pinned(hold) then
    keep_items(hold, math.max(hold[7] - now, PINNED_MS) + NET_MS)
    set_due(fence, format('%d', now + PINNED_MS))
    swept[#swept + 1] = 'PINNED\t' .. epoch .. '\t' .. record
  elseif hold and hold[1] == 'HELD' and is_frozen(hold) and not has_lapsed(hold) then
    set_due(fence, format('%d', now + FROZEN_MS))
  elseif hold and hold[1] == 'HELD' then
    expire(hold, elapsed_reason(hold))
    swept[#swept + 1] = 'EXPIRED\t' .. format('%d', now - hold[7])
  else
    due_gone[#due_gone + 1] = fence
  end
end
write()

-- Tokens in buckets before the previous one are out of their window. UNLINK frees them in the background.
call('UNLINK', bucket_key(bucket - 2), bucket_key(bucket - 3))
local next_due = tonumber(call('ZRANGE', DUE, 0, 0, 'WITHSCORES')[2] or 'inf')
for old = bucket - 1, bucket do
  if call('EXISTS', bucket_key(old)) == 1 then
    next_due = math.min(next_due, (old + 2) * window)
  end
end
swept[1] = 'SWEPT\t' .. (next_due < math.huge and format('%d', next_due) or '')
return swept
