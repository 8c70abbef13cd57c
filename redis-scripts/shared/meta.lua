-- Exact up to 2^53, and half the work of '%.0f'.
local function text(number)
  return string.format('%d', number)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local now_text = text(now)
local prefix = string.sub(KEYS[1], 1, -5)
local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch', 'seq', 'version', 'held')
local version, held = tonumber(meta[5] or '0'), tonumber(meta[6] or '0')
