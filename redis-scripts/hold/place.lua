-- place: hold all items of a call, or none of them.
--
-- KEYS[1]    meta        {p:<pool>}:meta      hash: state, run_id, epoch, seq, version, held, sold,
--                                             lines, rules, who:<caller>\t<requester>,
--                                             own:<hash>, item:<item>
-- KEYS[2]    journal     {p:<pool>}:journal   stream, one field: lines
-- ARGV[1]    run_id      of the server at the other end of this connection
-- ARGV[2]    hold_window_ms  ARGV[3] holds_max of a requester
-- ARGV[4]    unknown     CREATE: an item comes into being with its first hold | REFUSE
-- ARGV[5..]  calls       caller, token, digest, requester, lease_ms, salt (random part of the
--                        hold's id), distinct items, divided by line feeds, metadata, and the pass
--                        of the waiting room
--
-- Returns    for each call: HELD record      the items are the requester's
--            | SAME record                   the requester holds exactly these; nothing changes
--            | TAKEN items | NO_SUCH_ITEM items | LIMIT holds_max | ITEM_LIMIT items_max
--            | NOT_ADMITTED | SALES_CLOSED
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     the hold with HELD, after the end of lapsed holds of its items; otherwise nothing but
--            the outcome under its token and in the journal
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(items of all calls)

-- include: shared/batch
-- include: shared/tokens
-- include: shared/record
-- include: shared/ending
-- include: shared/pass

local FIRST, TEXTS, NET_MS = 5, 9, 60000
local hold_ms, holds_max = tonumber(ARGV[2]), tonumber(ARGV[3])
local expires_at = format('%d', now + hold_ms)
local new_item = ARGV[4] == 'CREATE' and '0' -- the value of an item that meta does not have
local fences -- the fences of this epoch are above it

-- include: shared/grant

local fields, keys = {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
  fields[#fields + 1] = who(ARGV[at], ARGV[at + 3])
  for item in string.gmatch(ARGV[at + 6], '[^\n]+') do
    fields[#fields + 1] = 'item:' .. item
  end
end
read_meta(fields)
-- include: shared/open
read_tokens(keys)
fences = epoch * 4294967296

-- HELD is stored as fence and salt only. Equal digests mean equal arguments, so the rest is rebuilt.
local function rebuild_held(replay, at, caller, token, requester, lease_ms, items, metadata)
  local fence, salt = string.match(replay, '^REPLAY\tHELD\t(%d+)\t([^\t]+)$')
  if not fence then
    return replay
  end
  local lease_until = at + math.min(tonumber(lease_ms), hold_ms)
  return 'REPLAY\tHELD\tHELD\t' .. fence .. '\t' .. salt .. '\t' .. caller .. '\t' .. requester .. '\t'
    .. at .. '\t' .. format('%d\t%d', lease_until, at + hold_ms) .. '\t' .. lease_ms .. '\t\t\t0\t'
    .. token .. '\t' .. items .. '\t\t' .. metadata
end

-- The common case: takes a single item if it is free.
local function take(item, fence, item_ms)
  local for_sale = meta['item:' .. item] or new_item
  return for_sale and not string.find(for_sale, ' ', 1, true)
    and not call('SET', prefix .. 'item:' .. item, fence, 'NX', 'GET', 'PX', item_ms)
end

-- Checks each item and its hold. Returns a refusal, or nil and the lapsed holds.
local function refusal(caller, requester, items, count)
  local unknown, taken, lapsed, own, is_own = {}, {}, {}, nil, true
  for item in string.gmatch(items, '[^\n]+') do
    local for_sale, fence = meta['item:' .. item] or new_item, call('GET', prefix .. 'item:' .. item)
    local record = fence and record_of(fence)
    local hold = record and parsed(record)
    if not for_sale then
      unknown[#unknown + 1] = item
    elseif hold and hold[1] == 'HELD' and (is_pinned(hold) or not has_lapsed(hold)) then
      taken[#taken + 1] = item
      own = own or hold
      is_own = is_own and own[2] == fence
    elseif string.find(for_sale, ' ', 1, true) then
      taken[#taken + 1] = item
      is_own = false
    elseif hold and hold[1] == 'HELD' then
      lapsed[fence] = hold
    end
  end
  if #unknown > 0 then
    return 'NO_SUCH_ITEM\t' .. table.concat(unknown, '\n')
  end
  if #taken == count and is_own and own[4] == caller and own[5] == requester
      and count_of(own) == count then
    return 'SAME\t' .. table.concat(own, '\t')
  end
  if #taken > 0 then
    return 'TAKEN\t' .. table.concat(taken, '\n')
  end
  return nil, lapsed
end

local function place(key, caller, token, digest, requester, lease_ms, salt, items, metadata, pass)
  local replay, at = spent(key, 'place_hold', digest)
  if replay then
    return at and rebuild_held(replay, at, caller, token, requester, lease_ms, items, metadata)
      or replay
  end
  if are_sales_closed() then
    return remember(key, 'place_hold', digest, 'SALES_CLOSED')
  end
  if not is_admitted(pass) then
    return remember(key, 'place_hold', digest, 'NOT_ADMITTED')
  end
  local fence = format('%d', fences + seq + 1)
  local item_ms = format('%d', math.min(tonumber(lease_ms), hold_ms) + NET_MS)
  local holds = (get(who(caller, requester)) or 0) + 0
  local count = 1 + select(2, string.gsub(items, '\n', ''))
  if seq >= 4294967295 then
    return 'UNSEEDED\tFULL'
  end
  if count > 1 or (holds > 0 and holds >= holds_max) or is_over_limit(caller, requester, count)
      or not take(items, fence, item_ms) then
    local refused, lapsed = refusal(caller, requester, items, count)
    if not refused then
      local gone = 0
      for _, hold in pairs(lapsed) do
        local is_own = hold[4] == caller and hold[5] == requester
        holds, gone = holds - (is_own and 1 or 0), gone + (is_own and count_of(hold) or 0)
      end
      refused = holds > 0 and holds >= holds_max and 'LIMIT\t' .. ARGV[3]
        or is_over_limit(caller, requester, count, gone) and 'ITEM_LIMIT\t' .. format('%d', items_max)
    end
    if refused then
      return remember(key, 'place_hold', digest, refused)
    end
    for _, hold in pairs(lapsed) do
      expire(hold, elapsed_reason(hold))
    end
    for item in string.gmatch(items, '[^\n]+') do
      call('SET', prefix .. 'item:' .. item, fence, 'PX', item_ms)
    end
  end
  local outcome = 'HELD\t' .. grant(fence, caller, token, requester, salt, lease_ms, items, '', metadata)
  held = held + count
  use_pass(pass)
  keep_token(key, 'place_hold', digest, 'HELD\t' .. fence .. '\t' .. salt)
  note(key, 'place_hold', digest, window, outcome)
  return outcome
end

local outcomes = {}
for at = FIRST, #ARGV, TEXTS do
  local i = #outcomes + 1
  outcomes[i] = place(keys[i], unpack(ARGV, at, at + TEXTS - 1))
end
write_tokens()
write()
keep_records()
return outcomes
