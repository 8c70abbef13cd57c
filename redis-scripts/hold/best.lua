-- best: hold seats side by side, the first good ones of those shown to it.
--
-- KEYS[1]    meta       {p:<pool>}:meta        hash: state, run_id, epoch, seq, version, held, sold,
--                                              who:<caller>\t<requester>, item:<item>
-- KEYS[2]    token      {p:<pool>}:tok:<caller>:<token>   the outcome, for the idempotency window
-- KEYS[3]    journal    {p:<pool>}:journal     stream, one field: line
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    caller     ARGV[3] token  ARGV[4] digest  ARGV[5] window_ms of the token
-- ARGV[6]    requester  ARGV[7] lease_ms  ARGV[8] hold_window_ms  ARGV[9] holds_max of a requester
-- ARGV[10]   salt       what makes the hold's id hard to guess
-- ARGV[11]   wanted     how many seats  ARGV[12] size of the pool
-- ARGV[13]   manner     WELL: no seat may be left alone; ANY: it may; LAST: the same, and there is
--                       nowhere else to look; or, meaning WELL, the state in which there was nothing
-- ARGV[14..] parts      of rows: '|' or, if the row goes on behind it, '>', then its seats in order
--
-- Returns    {'HELD', record, view}      the seats are the requester's
--            | {'NEXT', state, view}     nothing here; look elsewhere. State: epoch and version
--            | {'TAKEN', ''}             nothing anywhere
--            | {'LIMIT', holds_max} | {'REPLAY', outcome} | {'COLLISION'} | {'DRIFT', digest_function}
--            | {'UNSEEDED', why}
--            A view tells of each part, as it was found: where its first free seat is, counted from
--            0, and how long its longest row of free seats, such as '3 2,0 12'.
-- Writes     the hold with HELD; otherwise nothing but the outcome under its token and in the
--            journal, and with NEXT nothing at all. A seat whose hold has lapsed is taken until the
--            sweeper has been there.
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(seats shown)

local action, digest = 'place_hold', ARGV[4]

-- include: shared/now

local person = 'who:' .. ARGV[2] .. '\t' .. ARGV[6]
local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch', 'seq', 'version', 'held',
  person, 'sold')
local version, held = tonumber(meta[5]), tonumber(meta[6])
-- include: shared/open

local entry = redis.call('GET', KEYS[2])
-- include: shared/token
-- include: shared/remember

local count, manner = tonumber(ARGV[11]), ARGV[13]
local may_leave_one = manner == 'ANY' or manner == 'LAST'
local holds = tonumber(meta[7] or '0')
if holds >= tonumber(ARGV[9]) then
  remember('LIMIT', ARGV[9])
  return {'LIMIT', ARGV[9]}
end

local row, from, is_good, view = nil, 0, false, {}

-- A row of free seats that ends before `stop`. Taken from its left, it leaves none alone unless
-- exactly one is left; what lies behind the end of a part is not known.
local function consider(seats, start, stop, is_open)
  local length = stop - start
  if is_good or length < count then
    return
  end
  local is_well = length >= count + 2 or (length == count and not is_open)
  if is_well or (may_leave_one and not row) then
    row, from, is_good = seats, start, is_well
  end
end

for part = 14, #ARGV do
  local seats, fields, names = {}, {}, {}
  for seat in string.gmatch(string.sub(ARGV[part], 2), '[^\n]+') do
    local i = #seats + 1
    seats[i] = seat
    fields[i] = 'item:' .. seat
    names[i] = prefix .. fields[i]
  end
  local for_sale = redis.call('HMGET', KEYS[1], unpack(fields))
  local holder = redis.call('MGET', unpack(names))
  local goes_on = string.sub(ARGV[part], 1, 1) == '>'
  local start, first, longest = nil, #seats, 0
  for i = 1, #seats + 1 do
    local is_free = i <= #seats and not holder[i] and for_sale[i]
      and not string.find(for_sale[i], ' ', 1, true)
    if is_free then
      start = start or i
      first = math.min(first, i - 1)
    elseif start then
      consider(seats, start, i, goes_on and i > #seats)
      longest = math.max(longest, i - start)
      start = nil
    end
  end
  view[#view + 1] = first .. ' ' .. longest
  if is_good then
    break
  end
end
view = table.concat(view, ',')

if not row then
  local state = meta[3] .. ' ' .. meta[5]
  local free = tonumber(ARGV[12]) - held - tonumber(meta[8] or '0')
  if manner == 'LAST' or manner == state or free < count then
    remember('TAKEN', '')
    return {'TAKEN', ''}
  end
  return {'NEXT', state, view}
end

local chosen, keys, end_lapsed = {}, {}, nil
for i = 1, count do
  chosen[i] = row[from + i - 1]
  keys[i] = prefix .. 'item:' .. chosen[i]
end
local hold_ms = tonumber(ARGV[8])
local lease_ms = math.min(tonumber(ARGV[7]), hold_ms)
local items, is_short = table.concat(chosen, '\n'), false
if count == 1 then
  keys = keys[1]
end
-- include: shared/grant
return {'HELD', record, view}
