-- The leader board of an auction: the sorted set bids has each live bid, its fence with leading zeros,
-- by the negative amount. So the highest bid is first, and of equal ones the earlier. The field
-- bid:<caller>\t<requester> of meta has the fence of the requester's bid; bids are in no count of
-- holds.
local BIDS = prefix .. 'bids'

local function own_bid(caller, requester)
  return 'bid:' .. caller .. '\t' .. requester
end

local function enter_bid(hold)
  local field = own_bid(hold[4], hold[5])
  call('ZADD', BIDS, '-' .. hold[17], format('%016d', hold[2]))
  if tonumber(get(field) or 0) < tonumber(hold[2]) then
    put(field, hold[2])
  end
end

-- A bid of the board: its hold, or nil without a live record.
local function bid_of(member)
  local record = record_of(format('%d', member))
  local hold = record and parsed(record)
  return hold and hold[1] == 'HELD' and hold or nil
end
