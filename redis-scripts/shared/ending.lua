-- Frees the items or units of a hold, and keeps its record until the end has reached Postgres.
local function end_as(hold, record)
  if hold[17] then -- a bid leaves the leader board
    local own = 'bid:' .. hold[4] .. '\t' .. hold[5]
    call('ZREM', prefix .. 'bids', format('%016d', hold[2]))
    if get(own) == hold[2] then
      put(own, false)
    end
  else
    count_holds(who(hold[4], hold[5]), -1)
    set_own(hold[4], hold[5], hold[2], 0)
  end
  for item in string.gmatch(hold[14], '[^\n]+') do
    local key = prefix .. 'item:' .. item
    if call('GET', key) == hold[2] then
      call('DEL', key)
    end
    if not string.find(get('item:' .. item) or '', ' ', 1, true) then -- it was not sold
      freed_items[#freed_items + 1] = item
    end
  end
  held = held - count_of(hold)
  version = version + 1
  due_gone[#due_gone + 1] = hold[2]
  keep_record(hold[2], record)
end

local function ended(hold, state, reason)
  hold[1], hold[10], hold[11] = state, now_text, reason
  return table.concat(hold, '\t')
end

local function finish(hold, state, reason)
  local record = ended(hold, state, reason)
  end_as(hold, record)
  return record
end

-- An end that no call asked for.
local function expire(hold, reason)
  note_uncaused('EXPIRED\t' .. finish(hold, 'EXPIRED', reason))
end
