-- settle: learn what Postgres has decided: a hold's end, its items, and the outcome of a token.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2..]  token      {p:<pool>}:tok:<caller>:<token>, then the journal {p:<pool>}:journal, then
--                       the hold {p:<pool>}:hold:<fence>, string: the record; behind these, the
--                       token and the hold of each further decision
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  decision   caller, token, digest, window_ms (what is left of it, or 0), action,
--                       outcome (a word, a tab, and what belongs to it; empty: no token), record
--                       (the hold at its end, or empty if it has not ended), and then item and
--                       value by turns; behind an empty text, the next decision
--
-- Returns    {'SETTLED'} | {'UNSEEDED', why}
-- Writes     the end of each hold, if it is held here, and its line; the entries whose version is
--            higher than what is there; the outcome, and for a refusal its line
-- Replay     SETTLED, and no second line
-- Cost       O(items)

local ENDED_MS = '86400000' -- how long an ended hold stays, should the drainer never come for it

-- include: shared/now
-- include: shared/versions

-- What a script costs is its calls: what can be asked or written at once is, for all decisions.
local calls, keys = {}, {}
local at = 1
while at < #ARGV do
  local n = #calls + 1
  local token, hold = KEYS[2], KEYS[4]
  if n > 1 then
    token, hold = KEYS[2 * n + 1], KEYS[2 * n + 2]
  end
  local last = at + 8
  while ARGV[last] and ARGV[last] ~= '' do
    last = last + 2
  end
  calls[n] = {at = at, last = last - 1, token = token, hold = hold}
  keys[2 * n - 1], keys[2 * n] = token, hold
  at = last
end
local found, stands = redis.call('MGET', unpack(keys)), {}
for i, key in ipairs(keys) do
  stands[key] = found[i]
end

-- A hold ends once, also where two decisions speak of it.
local fields, ours, fences = {'state', 'run_id', 'epoch', 'version', 'held', 'sold'}, {}, {}
for _, call in ipairs(calls) do
  local record = ARGV[call.at + 7] ~= '' and stands[call.hold]
  local fence, who, items
  if record then -- of all its fields these, which costs half of taking it apart
    fence, who, items =
      string.match(record, '^HELD\t(%d+)\t[^\t]*\t([^\t]*\t[^\t]*)\t.*\t([^\t]*)$')
  end
  if fence then
    call.ended, call.who = fence, 'who:' .. who
    fields[#fields + 1] = call.who
    stands[call.hold] = ARGV[call.at + 7]
    for item in string.gmatch(items, '[^\n]+') do
      ours[#ours + 1] = prefix .. 'item:' .. item
      fences[#ours] = fence
    end
  end
  for i = call.at + 8, call.last, 2 do
    fields[#fields + 1] = 'item:' .. ARGV[i]
  end
end
local meta, known = redis.call('HMGET', KEYS[1], unpack(fields)), {}
-- include: shared/open
for i = 7, #fields do
  known[fields[i]] = meta[i]
end
local gone = {}
for i, fence in ipairs(#ours > 0 and redis.call('MGET', unpack(ours)) or {}) do
  if fence == fences[i] then
    gone[#gone + 1] = ours[i]
  end
end

local version, sold = tonumber(meta[4] or '0'), tonumber(meta[6] or '0')
local news, due = {}, {}
for _, call in ipairs(calls) do
  local caller, token, digest, window_ms, action, outcome, record =
    unpack(ARGV, call.at + 1, call.at + 7)
  local is_news = false
  for i = call.at + 8, call.last, 2 do
    local field, value = 'item:' .. ARGV[i], ARGV[i + 1]
    if version_of(value) > version_of(known[field]) then
      sold = sold + sold_in(value) - sold_in(known[field])
      known[field] = value
      news[#news + 1] = field
      version = version + 1
    end
  end
  if call.ended then
    redis.call('SET', call.hold, record, 'PX', ENDED_MS) -- until its lines are in Postgres
    due[#due + 1] = call.ended
    known[call.who] = format('%d', tonumber(known[call.who] or '0') - 1)
    news[#news + 1] = call.who
    version = version + 1
    is_news = true
  end
  if outcome ~= '' and window_ms ~= '0' then
    local value = action .. '\t' .. digest .. '\t' .. outcome
    if stands[call.token] ~= value then
      redis.call('SET', call.token, value, 'PX', window_ms)
      stands[call.token] = value
      is_news = true
    end
  end
  if is_news then
    local asked = '\t\t\t\t\t\t'
    local said = string.match(record, '^[^\t]*') .. '\t' .. record
    if outcome ~= '' then
      asked = '\t' .. action .. '\t' .. caller .. '\t' .. token .. '\t' .. digest .. '\t'
        .. math.max(tonumber(window_ms), 1) .. '\t'
      said = outcome
    end
    redis.call('XADD', KEYS[3], '*', 'line', meta[3] .. '\t' .. now_text .. asked .. said)
  end
end

if #gone > 0 then
  redis.call('DEL', unpack(gone))
end
if #due > 0 then
  redis.call('ZREM', prefix .. 'due', unpack(due))
end
local none, changed = {}, {'version', format('%d', version),
  'held', format('%d', tonumber(meta[5] or '0') - #ours), 'sold', format('%d', sold)}
for _, field in ipairs(news) do
  if string.sub(field, 1, 4) == 'who:' and tonumber(known[field]) <= 0 then
    none[#none + 1] = field
  else
    changed[#changed + 1] = field
    changed[#changed + 1] = known[field]
  end
end
if #none > 0 then
  redis.call('HDEL', KEYS[1], unpack(none))
end
redis.call('HSET', KEYS[1], unpack(changed))
return {'SETTLED'}
