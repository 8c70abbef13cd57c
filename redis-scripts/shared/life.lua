local meta = redis.call('HMGET', KEYS[1], 'state', 'run_id', 'epoch')
