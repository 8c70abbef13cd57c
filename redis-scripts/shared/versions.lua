-- What meta says of an item: "<version>", and behind it SOLD or CLAIMED if it is taken.
local function version_of(value)
  return tonumber(string.match(value or '-1', '^%-?%d+'))
end

local function sold_in(value)
  return string.find(value or '', ' SOLD', 1, true) and 1 or 0
end

-- Takes over, from ARGV[first] on, the items whose version is higher than what is there, or equal
-- though the rest is not, if asked to; answers with how many that were.
local function learn(first, is_strict)
  local fields = {}
  for i = first, #ARGV, 2 do
    fields[#fields + 1] = 'item:' .. ARGV[i]
  end
  if #fields == 0 then
    return 0
  end
  local present = redis.call('HMGET', KEYS[1], 'sold', unpack(fields))
  local sold, newer = tonumber(present[1] or '0'), {}
  for i, field in ipairs(fields) do
    local value = ARGV[first - 1 + 2 * i]
    local ahead = version_of(value) - version_of(present[1 + i])
    if ahead > 0 or (is_strict and ahead == 0 and value ~= present[1 + i]) then
      newer[#newer + 1] = field
      newer[#newer + 1] = value
      sold = sold + sold_in(value) - sold_in(present[1 + i])
    end
  end
  if #newer > 0 then
    redis.call('HSET', KEYS[1], 'sold', text(sold), unpack(newer))
  end
  return #newer / 2
end
