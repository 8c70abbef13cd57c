-- bid: place a bid in an auction, or raise the requester's own.
--
-- KEYS[1]    meta        {p:<pool>}:meta      hash: state, run_id, epoch, seq, version, held, sold,
--                                             lines, closes_at, bid:<caller>\t<requester>
-- KEYS[2]    journal     {p:<pool>}:journal   stream, one field: lines
-- ARGV[1]    run_id      of the server at the other end of this connection
-- ARGV[2]    hold_window_ms  ARGV[3] bids_max of the auction
-- ARGV[4..]  calls       caller, token, digest, requester, lease_ms, salt (random part of the
--                        bid's id), amount_cents
--
-- Returns    for each call: HELD record      the bid is placed; the record tells whether it leads
--            | SAME record                   the requester offers this amount already
--            | BID_TOO_LOW own_cents         the requester offers more already
--            | AUCTION_CLOSED | AUCTION_FULL | SALES_CLOSED
--            | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     with HELD: the bid at the next fence, its place on the leader board, and the end of the
--            requester's lower bid. Before that the end of lapsed bids that are the requester's own or
--            at the head of the board. Otherwise nothing but the outcome under its token and in the
--            journal
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(log bids) for each call, and O(lapsed bids, at most 100) for all of them

-- include: shared/batch
-- include: shared/tokens
-- include: shared/record
-- include: shared/ending
-- include: shared/bids

local FIRST, TEXTS, LAPSED_MAX = 4, 7, 100
local hold_ms, bids_max = tonumber(ARGV[2]), tonumber(ARGV[3])
local expires_at = format('%d', now + hold_ms)
local lapsed = 0

-- include: shared/grant

local fields, keys, outcomes = {'closes_at'}, {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
  fields[#fields + 1] = own_bid(ARGV[at], ARGV[at + 3])
end
read_meta(fields)
-- include: shared/open
read_tokens(keys)

local board_args = {} -- bids of this batch that are not on the leader board yet
local bids = call('ZCARD', BIDS) -- with those of this batch, and with those that have ended since
local first -- the fence and amount of the leader; false if there is none, nil if it is not known

local function write_board()
  if #board_args > 0 then
    call('ZADD', BIDS, unpack(board_args))
    board_args = {}
  end
end

local function end_lapsed(hold)
  write_board()
  expire(hold, elapsed_reason(hold))
end

-- The live bid of a requester, or nil.
local function live_bid(caller, requester)
  local fence = get(own_bid(caller, requester))
  local hold = fence and bid_of(fence)
  if hold and has_lapsed(hold) then
    end_lapsed(hold)
    first = nil
    return nil
  end
  return hold
end

-- The highest live bid, or false. The sweep may not have ended lapsed ones yet.
local function leader()
  while first == nil do
    write_board()
    local member = call('ZRANGE', BIDS, 0, 0)[1]
    local hold = member and bid_of(member)
    if hold and has_lapsed(hold) and lapsed < LAPSED_MAX then
      lapsed = lapsed + 1
      end_lapsed(hold)
    else
      first = hold and {fence = hold[2], amount = tonumber(hold[17])} or false
    end
  end
  return first
end

-- Of equal amounts the earlier leads.
local function leads(amount, own)
  local highest = leader()
  return not highest or (own and highest.fence == own[2]) or highest.amount < amount
end

local function is_full()
  if bids < bids_max then
    return false
  end
  write_board()
  bids = call('ZCARD', BIDS)
  return bids >= bids_max
end

local function bid(key, caller, token, digest, requester, lease_ms, salt, amount_text)
  local replay = spent(key, 'place_hold', digest)
  if replay then
    return replay
  end
  if seq >= 4294967295 then
    return 'UNSEEDED\tFULL'
  end
  if now >= closes_at() then
    return remember(key, 'place_hold', digest, 'AUCTION_CLOSED')
  end
  if are_sales_closed() then
    return remember(key, 'place_hold', digest, 'SALES_CLOSED')
  end
  local amount, own = tonumber(amount_text), live_bid(caller, requester)
  local offered = own and tonumber(own[17]) or 0
  if offered > amount then
    return remember(key, 'place_hold', digest, 'BID_TOO_LOW\t' .. own[17])
  end
  local is_leading = leads(amount, own)
  if offered == amount then
    own[18] = is_leading and 'LEADING' or ''
    return remember(key, 'place_hold', digest, 'SAME\t' .. table.concat(own, '\t'))
  end
  if not own and is_full() then
    return remember(key, 'place_hold', digest, 'AUCTION_FULL')
  end
  if own then
    write_board()
    note_uncaused('RELEASED\t' .. finish(own, 'RELEASED', ''))
  end
  local fence = format('%d', epoch * 4294967296 + seq + 1)
  local record = grant(fence, caller, token, requester, salt, lease_ms, '', '', '',
    amount_text .. '\t' .. (is_leading and 'LEADING' or ''))
  board_args[#board_args + 1] = '-' .. amount_text
  board_args[#board_args + 1] = format('%016d', fence)
  put(own_bid(caller, requester), fence)
  bids = bids + 1
  if is_leading then
    first = {fence = fence, amount = amount}
  end
  return remember(key, 'place_hold', digest, 'HELD\t' .. record)
end

for at = FIRST, #ARGV, TEXTS do
  local i = #outcomes + 1
  outcomes[i] = bid(keys[i], unpack(ARGV, at, at + TEXTS - 1))
end
write_board()
write_tokens()
write()
keep_records()
if #hold_args > 0 then
  call('PEXPIRE', BIDS, format('%d', hold_ms + 604800000))
end
return outcomes
