-- The items stay the hold's for so long. One that has run out of time is taken back, unless somebody
-- else has it by now.
local function keep_items(hold, ms)
  for item in string.gmatch(hold[14], '[^\n]+') do
    local key = prefix .. 'item:' .. item
    if (call('GET', key) or hold[2]) == hold[2] then
      call('SET', key, hold[2], 'PX', format('%d', ms))
    end
  end
end
