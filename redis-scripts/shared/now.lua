-- Exact up to 2^53, and half the work of '%.0f'.
local function text(number)
  return string.format('%d', number)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local now_text = text(now)
local prefix = string.sub(KEYS[1], 1, -5)
