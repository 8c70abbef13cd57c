-- place: hold every item asked for, or none of them.
--
-- KEYS[1]    meta       {p:<pool>}:meta        hash: state, run_id, epoch, seq, version, held,
--                                              who:<caller>\t<requester>, item:<item>
-- KEYS[2]    token      {p:<pool>}:tok:<caller>:<token>   the outcome, for the idempotency window
-- KEYS[3]    journal    {p:<pool>}:journal     stream, one field: line
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    caller     ARGV[3] token  ARGV[4] digest  ARGV[5] window_ms of the token
-- ARGV[6]    requester  ARGV[7] lease_ms  ARGV[8] hold_window_ms  ARGV[9] holds_max of a requester
-- ARGV[10]   salt       what makes the hold's id hard to guess
-- ARGV[11..] items      no two alike
--
-- Returns    {'HELD', record}            the items are the requester's
--            | {'SAME', record}          they were before, in this very set; nothing moved
--            | {'TAKEN', items} | {'NO_SUCH_ITEM', items} | {'LIMIT', holds_max}
--            | {'REPLAY', outcome} | {'COLLISION'} | {'DRIFT', digest_function}
--            | {'UNSEEDED', why}
-- Writes     the hold with HELD, after it has ended lapsed holds in its way; otherwise nothing but
--            the outcome under its token and in the journal
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(items), bounded by the pool's policy

local action, digest = 'place_hold', ARGV[4]

-- include: shared/now

local count = #ARGV - 10
local person, items = 'who:' .. ARGV[2] .. '\t' .. ARGV[6], ARGV[11]
local HOLDS = 7 -- where meta has how many the requester holds; what is for sale comes behind it
local meta, keys
if count == 1 then -- as nearly always, and without tables cheaper
  meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch', 'seq', 'version', 'held',
    person, 'item:' .. items)
else
  local fields = {}
  keys, items = {}, table.concat(ARGV, '\n', 11)
  for i = 1, count do
    fields[i] = 'item:' .. ARGV[10 + i]
    keys[i] = prefix .. fields[i]
  end
  meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch', 'seq', 'version', 'held',
    person, unpack(fields))
end
-- include: shared/open

local hold_ms, lease_ms = tonumber(ARGV[8]), tonumber(ARGV[7])
if lease_ms > hold_ms then
  lease_ms = hold_ms
end

local entry = redis.call('GET', KEYS[2])
if entry then
  -- A yes is kept in short: with an equal digest the arguments are equal, and tell the rest of it.
  local yes, fence, salt, at = string.match(entry, '^(.*\tHELD\t)(%d+)\t([^\t]+)\t(%d+)$')
  if yes then
    entry = yes .. 'HELD\t' .. fence .. '\t' .. salt .. '\t' .. ARGV[2] .. '\t' .. ARGV[6] .. '\t'
      .. at .. '\t' .. format('%d\t%d', at + lease_ms, at + hold_ms)
      .. '\t' .. ARGV[7] .. '\t\t\t0\t' .. ARGV[3] .. '\t' .. items
  end
end
-- include: shared/token

local version, held, holds = meta[5] + 0, meta[6] + 0, tonumber(meta[HOLDS] or 0)
local found, is_contested -- who holds each item; whether one is not simply free
if count == 1 then
  keys = prefix .. 'item:' .. items
  local holder, for_sale = redis.call('GET', keys), meta[HOLDS + 1]
  if holder or for_sale ~= '0' then
    found = {holder}
    is_contested = holder or not for_sale or string.find(for_sale, ' ', 1, true)
  end
else
  found = redis.call('MGET', unpack(keys))
  for i = 1, count do
    local for_sale = meta[HOLDS + i]
    is_contested = is_contested or found[i] or not for_sale or string.find(for_sale, ' ', 1, true)
  end
end
local outcome, end_lapsed
if is_contested then
-- include: shared/record
  local unknown, taken, lapsed, own = {}, {}, {}, nil
  local is_own, who = true, ARGV[2] .. '\t' .. ARGV[6]
  for i = 1, count do
    local fence, for_sale = found[i], meta[HOLDS + i]
    local hold = fence and redis.call('GET', prefix .. 'hold:' .. fence)
    hold = hold and parsed(hold)
    if not for_sale then
      unknown[#unknown + 1] = ARGV[10 + i]
    elseif hold and hold[1] == 'HELD' and (is_pinned(hold) or not has_lapsed(hold)) then
      taken[#taken + 1] = ARGV[10 + i]
      own = own or hold
      is_own = is_own and own[2] == fence
    elseif string.find(for_sale, ' ', 1, true) then
      taken[#taken + 1] = ARGV[10 + i]
      is_own = false
    elseif hold and hold[1] == 'HELD' then
      lapsed[fence] = hold
    end
  end
  if #unknown > 0 then
    outcome = {'NO_SUCH_ITEM', table.concat(unknown, '\n')}
  elseif #taken == count and is_own and own[4] .. '\t' .. own[5] == who
      and select(2, string.gsub(own[14], '\n', '')) == count - 1 then
    outcome = {'SAME', table.concat(own, '\t')}
  elseif #taken > 0 then
    outcome = {'TAKEN', table.concat(taken, '\n')}
  else
-- include: shared/ending
    for _, hold in pairs(lapsed) do
      holds = holds - (hold[4] .. '\t' .. hold[5] == who and 1 or 0)
    end
    end_lapsed = function()
      for _, hold in pairs(lapsed) do
        note_expired(KEYS[3], finish(hold, 'EXPIRED', elapsed_reason(hold)))
      end
    end
  end
end
if not outcome and holds > 0 and holds >= tonumber(ARGV[9]) then
  outcome = {'LIMIT', ARGV[9]}
end
if outcome then
-- include: shared/remember
  remember(outcome[1], outcome[2])
  return outcome
end

local is_short = true -- what its token keeps of the record
-- include: shared/grant
return {'HELD', record}
