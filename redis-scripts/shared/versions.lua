-- The value of an item in meta: "<version>", followed by SOLD or CLAIMED if it is taken. A pool of a
-- quantity has a single entry, stock: "<version> <sold>/<capacity>".
local function version_of(value)
  return tonumber(string.match(value or '-1', '^%-?%d+'))
end

local function sold_in(value)
  return string.find(value or '', ' SOLD', 1, true) and 1
    or tonumber(string.match(value or '', ' (%d+)/') or 0)
end

-- Whether the item was taken or missing and can be held now.
local function is_freed(before, value)
  return not string.find(value, ' ', 1, true) and (not before or string.find(before, ' ', 1, true))
end
