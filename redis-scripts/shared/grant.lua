-- Safety net: the records expire a week after the last window.
local function keep_records()
  if #hold_args > 0 then
    call('PEXPIRE', HOLDS, format('%d', hold_ms + 604800000))
  end
end

-- Creates a hold of items that are taken already, divided by line feeds, or of a quantity. Returns its
-- record. bid: the two fields of a bid, or nil.
local function grant(fence, caller, token, requester, salt, lease_ms, items, quantity, metadata, bid)
  local lease_until = format('%d', now + math.min(tonumber(lease_ms), hold_ms))
  local record = 'HELD\t' .. fence .. '\t' .. salt .. '\t' .. caller .. '\t' .. requester .. '\t'
    .. now_text .. '\t' .. lease_until .. '\t' .. expires_at .. '\t' .. lease_ms .. '\t\t\t0\t'
    .. token .. '\t' .. items .. '\t' .. quantity .. '\t' .. metadata .. (bid and '\t' .. bid or '')
  keep_record(fence, record)
  set_due(fence, lease_until)
  if not bid then
    count_holds(who(caller, requester), 1)
    if items_max then
      local count = quantity ~= '' and quantity + 0 or 1 + select(2, string.gsub(items, '\n', ''))
      set_own(caller, requester, fence, count)
    end
  end
  seq = seq + 1
  version = version + 1
  return record
end
