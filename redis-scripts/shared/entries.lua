-- The fields of meta for the items in ARGV[first..], where item and value alternate.
local function fields_of_items(first)
  local fields = {}
  for i = first, #ARGV, 2 do
    fields[#fields + 1] = 'item:' .. ARGV[i]
  end
  return fields
end
