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

local ENDED_MS = '86400000' -- how long an ended hold stays, should the drainer never come for it

-- include: shared/now
-- include: shared/record
-- include: shared/versions

-- What a script costs is its calls: what can be asked or written at once is.
local found = redis.call('MGET', KEYS[4], KEYS[2])
local hold = ARGV[8] ~= '' and found[1] and parsed(found[1])
if hold and hold[1] ~= 'HELD' then
  hold = nil
end
local who = 'who:' .. (hold and hold[4] .. '\t' .. hold[5] or '')
local fields = fields_from(9)
local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch', 'version', 'held', 'sold', who,
  unpack(fields))
-- include: shared/open
local ours, gone = {}, {}
if hold then
  for item in string.gmatch(hold[14], '[^\n]+') do
    ours[#ours + 1] = prefix .. 'item:' .. item
  end
  for i, fence in ipairs(#ours > 0 and redis.call('MGET', unpack(ours)) or {}) do
    if fence == hold[2] then
      gone[#gone + 1] = ours[i]
    end
  end
end
local sold = tonumber(meta[6] or '0')
local news, learnt = newer_from(9, fields, {unpack(meta, 8)}, sold)

local is_news = false
if hold then
  if #gone > 0 then
    redis.call('DEL', unpack(gone))
  end
  redis.call('SET', KEYS[4], ARGV[8], 'PX', ENDED_MS) -- until its lines are in Postgres
  redis.call('ZREM', prefix .. 'due', hold[2])
  local left = tonumber(meta[7] or '0') - 1
  if left > 0 then
    news[#news + 1] = who
    news[#news + 1] = format('%d', left)
  else
    redis.call('HDEL', KEYS[1], who)
  end
  is_news = true
end
if ARGV[7] ~= '' and ARGV[5] ~= '0' then
  local value = ARGV[6] .. '\t' .. ARGV[4] .. '\t' .. ARGV[7]
  if found[2] ~= value then
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
local version = tonumber(meta[4] or '0') + learnt + (hold and 1 or 0)
redis.call('HSET', KEYS[1], 'version', format('%d', version),
  'held', format('%d', tonumber(meta[5] or '0') - #ours), unpack(news))
return {'SETTLED'}
