-- keep: count the survivors that Postgres still knows as held, and forget those it knows as ended.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    counted  {p:<pool>}:counted   set: fences that this epoch has counted
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  verdicts fence and KEEP or DROP by turns
--
-- Returns    {'KEPT'} | {'SUPERSEDED'}
-- Writes     the counts of meta and requesters; whatever belongs to a dropped hold is gone, without
--            a line, because the journal has its end already
-- Replay     KEPT, nothing is counted twice
-- Cost       O(verdicts × items)

-- include: shared/seeding
-- include: shared/record

for i = 3, #ARGV, 2 do
  local fence = ARGV[i]
  local record = redis.call('GET', prefix .. 'hold:' .. fence)
  local hold = record and parsed(record)
  if hold and hold[1] == 'HELD' and ARGV[i + 1] == 'KEEP' then
    if redis.call('SADD', KEYS[2], fence) == 1 then
      held = held + 1 + select(2, string.gsub(hold[14], '\n', ''))
      redis.call('HINCRBY', prefix .. 'requesters', hold[4] .. '\t' .. hold[5], 1)
    end
  else
    for item in string.gmatch(hold and hold[14] or '', '[^\n]+') do
      if redis.call('GET', prefix .. 'item:' .. item) == fence then
        redis.call('DEL', prefix .. 'item:' .. item)
      end
    end
    redis.call('ZREM', prefix .. 'due', fence)
    redis.call('DEL', prefix .. 'hold:' .. fence)
  end
end
redis.call('HSET', KEYS[1], 'held', held)
return {'KEPT'}
