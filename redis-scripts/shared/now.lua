local format = string.format -- '%d' is exact up to 2^53, and half the work of '%.0f'
local time = redis.call('TIME')
local ms = time[2] / 1000
local now = time[1] * 1000 + (ms - ms % 1)
local now_text = format('%d', now)
local prefix = string.sub(KEYS[1], 1, -5)
