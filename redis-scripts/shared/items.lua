-- Sets the TTL of the hold's items. An item whose key has expired is taken back, unless another hold
-- has it.
local function keep_items(hold, ms)
  for item in string.gmatch(hold[14], '[^\n]+') do
    local key = prefix .. 'item:' .. item
    if (call('GET', key) or hold[2]) == hold[2] then
      call('SET', key, hold[2], 'PX', format('%d', ms))
    end
  end
end
