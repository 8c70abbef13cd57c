-- textbook: a hold as a textbook has it: an item, a fence, a token, a line of a journal.
--
-- KEYS[1]    token    {bench}:tok:<number>    KEYS[2]  item     {bench}:item:<number>
-- KEYS[3]    fence    {bench}:fence           KEYS[4]  journal  {bench}:journal   stream
-- ARGV[1]    run_id   ARGV[2] requester
--
-- Returns    {'HELD', fence} | {'TAKEN'}
-- Writes     token and item, which expire by themselves, fence, and journal, which is trimmed
-- Replay     TAKEN, because it does not read the token
-- Cost       O(1)

if not redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', 60000) then
  return {'TAKEN'}
end
local fence = redis.call('INCR', KEYS[3])
redis.call('SET', KEYS[1], ARGV[2] .. '\t' .. fence, 'PX', 60000)
redis.call('XADD', KEYS[4], 'MAXLEN', '~', 10000, '*', 'line', ARGV[2] .. '\t' .. fence)
return {'HELD', string.format('%d', fence)}
