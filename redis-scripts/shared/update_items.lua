-- Stores the items in ARGV[first..], where item and value alternate, whose version is higher than the
-- stored one. If is_strict, also those with the same version and another value, unless an operator is
-- blocking the item. Returns the number.
local function update_items(first, is_strict)
  local changed = 0
  for i = first, #ARGV, 2 do
    local field, value = 'item:' .. ARGV[i], ARGV[i + 1]
    local present = get(field)
    local ahead = version_of(value) - version_of(present)
    if ahead > 0 or (is_strict and ahead == 0 and value ~= present and not is_being_blocked(present)) then
      value = with_mark(value, present)
      put_item(field, present, value)
      changed = changed + 1
      if is_freed(present, value) then
        freed_items[#freed_items + 1] = ARGV[i]
      end
    end
  end
  return changed
end
