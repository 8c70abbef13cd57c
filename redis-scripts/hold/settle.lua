-- settle: learn what Postgres has decided: a hold's end, its items, and the outcome of a token.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    token      {p:<pool>}:tok:<caller>:<token>
-- KEYS[3]    journal    {p:<pool>}:journal
-- KEYS[4]    hold       {p:<pool>}:hold:<fence>   string: the record
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    caller     ARGV[3] token  ARGV[4] digest  ARGV[5] window_ms  what is left of it, or 0
-- ARGV[6]    action     ARGV[7] outcome  a word, a tab, and what belongs to it; empty: no token
-- ARGV[8]    record     the hold at its end, or empty if it has not ended
-- ARGV[9..]  entries    item and value by turns
--
-- Returns    {'SETTLED'} | {'UNSEEDED', why}
-- Writes     the end of the hold, if it is held here, and its line; the entries whose version is
--            higher than what is there; the outcome, and for a refusal its line
-- Replay     SETTLED, and no second line
-- Cost       O(items)

-- include: shared/now
-- include: shared/meta
-- include: shared/open
-- include: shared/record
-- include: shared/ending
-- include: shared/versions

local is_news = false
local stored = redis.call('GET', KEYS[4])
local hold = stored and parsed(stored)
if ARGV[8] ~= '' and hold and hold[1] == 'HELD' then
  free(hold)
  redis.call('SET', KEYS[4], ARGV[8], 'PX', ENDED_MS)
  is_news = true
end
version = version + learn(9)
if ARGV[7] ~= '' and ARGV[5] ~= '0' then
  local value = ARGV[6] .. '\t' .. ARGV[4] .. '\t' .. ARGV[7]
  if redis.call('GET', KEYS[2]) ~= value then
    redis.call('SET', KEYS[2], value, 'PX', ARGV[5])
    is_news = true
  end
end
if is_news then
  local call = '\t\t\t\t\t\t'
  local said = string.match(ARGV[8], '^[^\t]*') .. '\t' .. ARGV[8]
  if ARGV[7] ~= '' then
    call = '\t' .. ARGV[6] .. '\t' .. ARGV[2] .. '\t' .. ARGV[3] .. '\t' .. ARGV[4] .. '\t'
      .. math.max(tonumber(ARGV[5]), 1) .. '\t'
    said = ARGV[7]
  end
  redis.call('XADD', KEYS[3], '*', 'line', meta[3] .. '\t' .. now_text .. call .. said)
end
redis.call('HSET', KEYS[1], 'version', text(version), 'held', text(held))
return {'SETTLED'}
