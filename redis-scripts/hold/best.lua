-- best: hold adjacent seats, the first that fit of the candidates.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: state, run_id, epoch, seq, version, held, sold,
--                                            lines, freed, who:<caller>\t<requester>, item:<item>
-- KEYS[2]    journal    {p:<pool>}:journal   stream, one field: lines
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    hold_window_ms  ARGV[3] holds_max of a requester
-- ARGV[4]    size       of the pool  ARGV[5] read  the version of the pool that the caller has read
-- ARGV[6..]  calls      caller, token, digest, requester, lease_ms, salt (random
--                       part of the hold's id), wanted (number of seats), known (the state up to which
--                       the caller knows the freed items, or nothing), manner, and parts of rows. A part
--                       is '|' or, if the row continues after it, '>', then its seats in order, each
--                       followed by a line feed; parts are divided by record separators. Manner:
--                       GOOD: no single seat may be left; ANY: it may; LAST: like ANY, and in the known
--                       state there is no room elsewhere. Then metadata and the pass of the
--                       waiting room
--
-- Returns    for each call: HELD record <rs> look    the seats are the requester's
--            | NEXT <rs> look                        none of these fits; try others
--            | TAKEN                                 no room in the pool
--            | CHANGED version                       no room in the pool as the caller knows it
--            | LIMIT holds_max | ITEM_LIMIT items_max | NOT_ADMITTED | SALES_CLOSED
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
--            A look is: state <rs> freed <rs> bits. State: the epoch and the number of items that became
--            free in it. Freed: the items that became free since the known state, divided by line
--            feeds; empty if that is the current state or too old. Bits: for each part that was read,
--            0 for each free seat and 1 for each other seat, divided by commas. <rs> is the record
--            separator.
-- Writes     the hold with HELD; otherwise nothing but the outcome under its token and in the
--            journal, and with NEXT or CHANGED nothing at all. A seat whose hold has lapsed counts as taken
--            until the sweep has ended the hold.
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(candidates + stored items that became free since the known state)

-- include: shared/batch
-- include: shared/tokens
-- include: shared/pass

local FIRST, TEXTS, NET_MS = 6, 12, 60000
local hold_ms, holds_max, size = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local expires_at = format('%d', now + hold_ms)
local item_key = prefix .. 'item:'
local freed, present -- number of items that became free; the epoch and that number
local freed_since = {} -- by known state

-- include: shared/grant

-- Reads the seats of a part. Returns them, and 0 for each free one.
local function read_part(part)
  local seats, names, bits, fields, places = {}, {}, {}, {}, {}
  for seat in string.gmatch(part, '([^\n]+)\n') do
    local i = #seats + 1
    seats[i], names[i] = seat, item_key .. seat
  end
  local holders = call('MGET', unpack(names))
  for i = 1, #seats do
    bits[i] = '1'
    if not holders[i] then
      local at = #fields + 1
      fields[at], places[at] = 'item:' .. seats[i], i
    end
  end
  local for_sale = #fields > 0 and call('HMGET', META, unpack(fields))
  for i = 1, #fields do
    if for_sale[i] and not string.find(for_sale[i], ' ', 1, true) then
      bits[places[i]] = '0'
    end
  end
  return seats, table.concat(bits)
end

-- Finds `wanted` adjacent seats. They are taken from the left of a group of free seats, so a single
-- seat is left only if the group has one more. Seats after the end of a part are unknown.
local function find(wanted, may_leave_one, parts)
  local row, from, is_good, looks = nil, 0, false, {}
  for kind, part in string.gmatch(parts, '([|>])([^\30]+)') do
    local seats, bits = read_part(part)
    looks[#looks + 1] = bits
    local start, finish = string.find(bits, '0+')
    while start and not is_good do
      local length, is_open = finish - start + 1, kind == '>' and finish == #seats
      local fits_well = length >= wanted + 2 or (length == wanted and not is_open)
      if length >= wanted and (fits_well or (may_leave_one and not row)) then
        row, from, is_good = seats, start, fits_well
      end
      start, finish = string.find(bits, '0+', finish + 1)
    end
    if is_good then
      break
    end
  end
  return row, from, table.concat(looks, ',')
end

-- The items that became free since the known state, if the list still has them all.
local function items_since(known)
  local items = freed_since[known]
  if not items then
    local known_epoch, known_freed = string.match(known, '^(%d+) (%d+)$')
    local count = known_epoch == epoch and freed - known_freed or 0
    local found = count > 0 and count <= FREED_KEPT
      and call('LRANGE', prefix .. 'freed', format('%d', -count), -1) or {}
    items = #found == count and table.concat(found, '\n') or ''
    freed_since[known] = items
  end
  return items
end

local function place(key, caller, token, digest, requester, lease_ms, salt, wanted, known, manner, parts,
    metadata, pass)
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
  if (get(who(caller, requester)) or 0) + 0 >= holds_max then
    return remember(key, 'place_hold', digest, 'LIMIT\t' .. ARGV[3])
  end
  wanted = tonumber(wanted)
  if is_over_limit(caller, requester, wanted) then
    return remember(key, 'place_hold', digest, 'ITEM_LIMIT\t' .. format('%d', items_max))
  end
  local row, from, bits = find(wanted, manner ~= 'GOOD', parts)
  if not row and ((manner == 'LAST' and known == present) or size - held - sold < wanted) then
    if is_changed_since(ARGV[5]) then
      return 'CHANGED\t' .. string.match(rules, '^%d+')
    end
    return remember(key, 'place_hold', digest, 'TAKEN\t')
  end
  local look = LINE .. present .. LINE .. items_since(known) .. LINE .. bits
  if not row then
    return 'NEXT\t' .. look
  end
  local fence = format('%d', epoch * 4294967296 + seq + 1)
  local item_ms = (tonumber(lease_ms) < hold_ms and lease_ms or hold_ms) + NET_MS
  local chosen = {}
  for i = 1, wanted do
    chosen[i] = row[from + i - 1]
    call('SET', item_key .. chosen[i], fence, 'PX', format('%d', item_ms))
  end
  local record = grant(fence, caller, token, requester, salt, lease_ms, table.concat(chosen, '\n'),
    '', metadata)
  held = held + wanted
  use_pass(pass)
  return remember(key, 'place_hold', digest, 'HELD\t' .. record) .. look
end

local fields, keys, outcomes = {'freed'}, {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
  fields[#fields + 1] = who(ARGV[at], ARGV[at + 3])
end
read_meta(fields)
-- include: shared/open
freed = (meta['freed'] or 0) + 0
present = epoch .. ' ' .. format('%d', freed)
read_tokens(keys)
for i = 1, #keys do
  local at = FIRST + TEXTS * (i - 1)
  outcomes[i] = place(keys[i], unpack(ARGV, at, at + TEXTS - 1))
end
write_tokens()
write()
keep_records()
return outcomes
