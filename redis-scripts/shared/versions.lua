-- The value of an item in meta: "<version>", followed by SOLD, CLAIMED or BLOCKED if it is taken or out of
-- sale. While an operator blocks it: "<version> BLOCKING <until_ms> <owner>". A pool of a quantity has a
-- single entry, stock: "<version> <sold>/<capacity>".
local function version_of(value)
  return tonumber(string.match(value or '-1', '^%-?%d+'))
end

local function sold_in(value)
  return string.find(value or '', ' SOLD', 1, true) and 1
    or tonumber(string.match(value or '', ' (%d+)/') or 0)
end

local function is_blocked(value)
  return string.sub(value or '', -8) == ' BLOCKED'
end

-- Stores a newer value of an item, and counts what is sold and what is blocked.
local function put_item(field, before, value)
  put(field, value)
  sold = sold + sold_in(value) - sold_in(before)
  if is_blocked(value) ~= is_blocked(before) then
    put('blocked', format('%d', (get('blocked') or 0) + (is_blocked(value) and 1 or -1)))
  end
end

-- An operator is blocking the item, and the mark of that is valid.
local function is_being_blocked(value)
  local until_ms = string.match(value or '', ' BLOCKING (%d+) ')
  return until_ms and now < until_ms + 0
end

-- A newer value of an item. The mark of an operator stays if the item is free.
local function with_mark(value, before)
  if is_being_blocked(before) and not string.find(value, ' ', 1, true) then
    return value .. string.match(before, ' BLOCKING .*$')
  end
  return value
end

-- Whether the item was taken or missing and can be held now.
local function is_freed(before, value)
  return not string.find(value, ' ', 1, true) and (not before or string.find(before, ' ', 1, true))
end
