-- state, fence, salt, caller, requester, placed_at, lease_until, expires_at, lease_ms, ended_at,
-- end_reason, pin_no, token, items, quantity, metadata. A hold has items or a quantity.
local RECORD = '^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$'

-- A record that was written before there were quantities ends with the items.
local function parsed(record)
  local hold = {string.match(record, RECORD)}
  return hold[1] and hold or {string.match(record .. '\t\t', RECORD)}
end

-- The number of items or units of a hold.
local function count_of(hold)
  return hold[15] ~= '' and tonumber(hold[15]) or 1 + select(2, string.gsub(hold[14], '\n', ''))
end

local function has_lapsed(hold)
  return tonumber(hold[7]) <= now
end

-- It is being committed: only Postgres may end it now.
local function is_pinned(hold)
  return tonumber(hold[12]) % 2 == 1
end

local function elapsed_reason(hold)
  return hold[7] == hold[8] and 'WINDOW' or 'LEASE'
end
