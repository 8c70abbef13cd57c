-- The fields of the items that are given with their values from ARGV[first] on.
local function fields_of_items(first)
  local fields = {}
  for i = first, #ARGV, 2 do
    fields[#fields + 1] = 'item:' .. ARGV[i]
  end
  return fields
end
