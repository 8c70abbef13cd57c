-- load: bring a part of the catalogue into an epoch that is being seeded.
--
-- KEYS[1]    meta     {p:<pool>}:meta   hash: item:<item> to version, and SOLD or CLAIMED if taken
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  entries  item and value by turns
--
-- Returns    {'LOADED'} | {'SUPERSEDED'} the epoch is another's by now, or open
-- Writes     the entries whose version is higher than what is there
-- Replay     LOADED
-- Cost       O(entries)

-- include: shared/now
-- include: shared/meta
-- include: shared/seeding

local function version_of(value)
  return tonumber(string.match(value or '-1', '^%-?%d+'))
end

local fields = {}
for i = 3, #ARGV, 2 do
  fields[#fields + 1] = 'item:' .. ARGV[i]
end
local present = redis.call('HMGET', KEYS[1], unpack(fields))
local newer = {}
for i, field in ipairs(fields) do
  local value = ARGV[2 + 2 * i]
  if version_of(value) > version_of(present[i]) then
    newer[#newer + 1] = field
    newer[#newer + 1] = value
  end
end
if #newer > 0 then
  redis.call('HSET', KEYS[1], unpack(newer))
end
return {'LOADED'}
