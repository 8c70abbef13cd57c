-- sweep: end holds whose lease is over, oldest first, each of them once.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- KEYS[3]    due        {p:<pool>}:due     sorted set: fence by lease end
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    count      at most so many
--
-- Returns    {'SWEPT', lag_ms or epoch and record…} for each hold ended how long that was after its
--            lease, and for each that is pinned the epoch, a tab, its record | {'UNSEEDED', why}
-- Writes     the end of each, and its line in the journal; what is pinned Postgres has to decide: it
--            keeps its items, however long that takes, and is due again in a moment
-- Replay     SWEPT, with those that became due since
-- Cost       O(count × items)

local PINNED_MS = 1000
local NET_MS = 60000

-- include: shared/now
-- include: shared/meta
-- include: shared/open
-- include: shared/record
-- include: shared/ending
-- include: shared/items

local due = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now_text, 'LIMIT', 0, ARGV[2])
local swept = {'SWEPT'}
for _, fence in ipairs(due) do
  local record = redis.call('GET', prefix .. 'hold:' .. fence)
  local hold = record and parsed(record)
  if hold and hold[1] == 'HELD' and is_pinned(hold) then
    keep_items(hold, math.max(tonumber(hold[7]) - now, PINNED_MS) + NET_MS)
    redis.call('ZADD', KEYS[3], format('%d', now + PINNED_MS), fence)
    swept[#swept + 1] = meta[3] .. '\t' .. record
  elseif hold and hold[1] == 'HELD' then
    note_expired(KEYS[2], finish(hold, 'EXPIRED', elapsed_reason(hold)))
    swept[#swept + 1] = format('%d', now - tonumber(hold[7]))
  else
    redis.call('ZREM', KEYS[3], fence)
  end
end
if #due > 0 then
  redis.call('HSET', KEYS[1], 'version', version, 'held', held)
end
return swept
