-- Takes over the items whose version is higher than what is there, or equal though the rest is not,
-- if asked to; each stands with its value behind it, from ARGV[first] on. Answers with how many.
local function learn(first, is_strict)
  local changed = 0
  for i = first, #ARGV, 2 do
    local field, value = 'item:' .. ARGV[i], ARGV[i + 1]
    local present = get(field)
    local ahead = version_of(value) - version_of(present)
    if ahead > 0 or (is_strict and ahead == 0 and value ~= present) then
      put(field, value)
      sold = sold + sold_in(value) - sold_in(present)
      changed = changed + 1
      if is_freed(present, value) then
        freed_items[#freed_items + 1] = ARGV[i]
      end
    end
  end
  return changed
end
