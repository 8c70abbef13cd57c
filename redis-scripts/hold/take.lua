-- take: hold a quantity of a pool that has units instead of items.
--
-- KEYS[1]    meta        {p:<pool>}:meta      hash: state, run_id, epoch, seq, version, held, sold,
--                                             lines, who:<caller>\t<requester>, item:stock; and
--                                             the hash limits, while the capacity is being changed
-- KEYS[2]    journal     {p:<pool>}:journal   stream, one field: lines
-- ARGV[1]    run_id      of the server at the other end of this connection
-- ARGV[2]    hold_window_ms  ARGV[3] holds_max of a requester
-- ARGV[4..]  calls       caller, token, digest, requester, lease_ms, salt (random part of the
--                        hold's id), quantity, metadata, and the pass of the waiting room
--
-- Returns    for each call: HELD record      the quantity is the requester's
--            | TAKEN                         fewer units are left
--            | LIMIT holds_max | ITEM_LIMIT items_max | NOT_ADMITTED | SALES_CLOSED
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     the hold with HELD, and the outcome under its token and in the journal. Before a call that
--            would be refused otherwise, also if it is refused all the same: the end of lapsed holds
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(1) for each call, and O(lapsed holds, at most 100, and changes of the capacity that are
--            under way) for all of them

-- include: shared/batch
-- include: shared/tokens
-- include: shared/record
-- include: shared/ending
-- include: shared/pass

local FIRST, TEXTS, LAPSED_MAX = 4, 9, 100
local hold_ms, holds_max = tonumber(ARGV[2]), tonumber(ARGV[3])
local expires_at = format('%d', now + hold_ms)
local capacity
local is_swept = false

-- include: shared/grant

local fields, keys, outcomes = {'item:stock'}, {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
  fields[#fields + 1] = who(ARGV[at], ARGV[at + 3])
end
read_meta(fields)
-- include: shared/open
read_tokens(keys)
capacity = tonumber(string.match(meta['item:stock'] or '', '/(%d+)$') or 0)
for _, limit in ipairs(call('HVALS', prefix .. 'limits')) do
  capacity = math.min(capacity, tonumber(limit))
end

-- Ends lapsed holds that the sweep has not ended yet.
local function end_lapsed()
  local fences = call('ZRANGEBYSCORE', DUE, '-inf', now_text, 'LIMIT', 0, LAPSED_MAX)
  read_holds(fences)
  for _, fence in ipairs(fences) do
    local record = record_of(fence)
    local hold = record and parsed(record)
    if hold and hold[1] == 'HELD' and not is_pinned(hold) and has_lapsed(hold) then
      expire(hold, elapsed_reason(hold))
    end
  end
  is_swept = true
end

local function take(key, caller, token, digest, requester, lease_ms, salt, quantity, metadata, pass)
  local replay = spent(key, 'place_hold', digest)
  if replay then
    return replay
  end
  if are_sales_closed() then
    return remember(key, 'place_hold', digest, 'SALES_CLOSED')
  end
  if not is_admitted(pass) then
    return remember(key, 'place_hold', digest, 'NOT_ADMITTED')
  end
  if seq >= 4294967295 then
    return 'UNSEEDED\tFULL'
  end
  local requester_field = who(caller, requester)
  local wanted = tonumber(quantity)
  if not is_swept
      and (capacity - sold - held < wanted or (get(requester_field) or 0) + 0 >= holds_max
        or is_over_limit(caller, requester, wanted)) then
    end_lapsed()
  end
  local refused = capacity - sold - held < wanted and 'TAKEN\t'
    or (get(requester_field) or 0) + 0 >= holds_max and 'LIMIT\t' .. ARGV[3]
    or is_over_limit(caller, requester, wanted) and 'ITEM_LIMIT\t' .. format('%d', items_max)
  if refused then
    return remember(key, 'place_hold', digest, refused)
  end
  local fence = format('%d', epoch * 4294967296 + seq + 1)
  local record = grant(fence, caller, token, requester, salt, lease_ms, '', quantity, metadata)
  held = held + wanted
  use_pass(pass)
  return remember(key, 'place_hold', digest, 'HELD\t' .. record)
end

for at = FIRST, #ARGV, TEXTS do
  local i = #outcomes + 1
  outcomes[i] = take(keys[i], unpack(ARGV, at, at + TEXTS - 1))
end
write_tokens()
write()
keep_records()
return outcomes
