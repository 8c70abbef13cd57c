-- Takes over the items whose version is higher than what is there, or equal though the rest is not,
-- if asked to; each stands with its value behind it, from ARGV[first] on. Answers with how many.
local function learn(first, is_strict)
  local fields = {}
  for i = first, #ARGV, 2 do
    fields[#fields + 1] = 'item:' .. ARGV[i]
  end
  if #fields == 0 then
    return 0
  end
  local present = redis.call('HMGET', KEYS[1], 'sold', unpack(fields))
  local sold = tonumber(table.remove(present, 1) or '0')
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
    redis.call('HSET', KEYS[1], 'sold', format('%d', sold), unpack(newer))
  end
  return changed
end
