-- read: what Redis knows of some holds, and what time it is there.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2..]  hold       {p:<pool>}:hold:<fence>   string: the record
-- ARGV[1]    run_id     of the server at the other end of this connection
--
-- Returns    {'HOLDS', now, record…} with an empty record where there is none | {'UNSEEDED', why}
-- Writes     nothing
-- Replay     HOLDS, as they are by then
-- Cost       O(holds)

-- include: shared/now
-- include: shared/life
-- include: shared/open

local answer = {'HOLDS', now_text}
for i = 2, #KEYS do
  answer[i + 1] = redis.call('GET', KEYS[i]) or ''
end
return answer
