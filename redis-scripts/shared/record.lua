-- state, fence, salt, caller, requester, placed_at, lease_until, expires_at, lease_ms, ended_at,
-- end_reason, pin_no, token, items, quantity, metadata. A hold has items or a quantity. A bid has
-- neither, and two more fields: amount_cents, and LEADING if it was the highest when it was placed.
local RECORD = '^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$'

-- A record that was written before there were quantities ends with the items.
local function parsed(record)
  local hold = {string.match(record, RECORD)}
  if not hold[1] then
    return {string.match(record .. '\t\t', RECORD)}
  end
  if string.find(hold[16], '\t', 1, true) then
    hold[16], hold[17], hold[18] = string.match(hold[16], '^([^\t]*)\t(%d+)\t(%a*)$')
  end
  return hold
end

-- The number of items or units of a hold. A bid does not take the lot.
local function count_of(hold)
  return hold[17] and 0 or hold[15] ~= '' and tonumber(hold[15]) or 1 + select(2, string.gsub(hold[14], '\n', ''))
end

-- The close of a pool that is an auction.
local function closes_at()
  return tonumber(get('closes_at') or math.huge)
end

-- A bid that is live at the close stays live, however late the close is processed.
local function has_lapsed(hold)
  return tonumber(hold[7]) <= (hold[17] and math.min(now, closes_at()) or now)
end

-- The auction of a bid is over. Only Postgres ends the bid now.
local function is_frozen(hold)
  return hold[17] and now >= closes_at()
end

-- It is being committed: only Postgres may end it now.
local function is_pinned(hold)
  return tonumber(hold[12]) % 2 == 1
end

local function elapsed_reason(hold)
  return hold[7] == hold[8] and 'WINDOW' or 'LEASE'
end
