local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch', 'seq', 'version', 'held')
local version, held = tonumber(meta[5] or '0'), tonumber(meta[6] or '0')
