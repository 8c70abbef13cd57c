-- What meta says of an item: "<version>", and behind it SOLD or CLAIMED if it is taken.
local function version_of(value)
  return tonumber(string.match(value or '-1', '^%-?%d+'))
end

local function sold_in(value)
  return string.find(value or '', ' SOLD', 1, true) and 1 or 0
end

-- The items that stand, each with a value behind it, from ARGV[first] on.
local function fields_from(first)
  local fields = {}
  for i = first, #ARGV, 2 do
    fields[#fields + 1] = 'item:' .. ARGV[i]
  end
  return fields
end

-- Those of them whose version is higher than what is there, or equal though the rest is not, if
-- asked to: item and value by turns, with how many are sold then behind them.
local function newer_from(first, fields, present, sold, is_strict)
  local newer, changed = {}, 0
  for i, field in ipairs(fields) do
    local value = ARGV[first - 1 + 2 * i]
    local ahead = version_of(value) - version_of(present[i])
    if ahead > 0 or (is_strict and ahead == 0 and value ~= present[i]) then
      newer[#newer + 1] = field
      newer[#newer + 1] = value
      sold = sold + sold_in(value) - sold_in(present[i])
      changed = changed + 1
    end
  end
  if changed > 0 then
    newer[#newer + 1] = 'sold'
    newer[#newer + 1] = format('%d', sold)
  end
  return newer, changed
end

-- Takes over the newer ones; answers with how many that were.
local function learn(first, is_strict)
  local fields = fields_from(first)
  if #fields == 0 then
    return 0
  end
  local present = redis.call('HMGET', KEYS[1], 'sold', unpack(fields))
  local sold = tonumber(table.remove(present, 1) or '0')
  local newer, changed = newer_from(first, fields, present, sold, is_strict)
  if changed > 0 then
    redis.call('HSET', KEYS[1], unpack(newer))
  end
  return changed
end
