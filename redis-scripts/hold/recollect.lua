-- recollect: what a token was spent on, and the hold that it got, if it got one.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    token      {p:<pool>}:tok:<caller>:<token>
-- ARGV[1]    run_id     of the server at the other end of this connection
--
-- Returns    {'SPENT', entry, until, record} until when it is kept; the hold of a yes that is kept in
--            short, as it is now | {'UNSPENT'} | {'UNSEEDED', why}
-- Writes     nothing
-- Replay     SPENT, as long as it is kept
-- Cost       O(1)

-- include: shared/now
-- include: shared/life
-- include: shared/open

local entry = redis.call('GET', KEYS[2])
if not entry then
  return {'UNSPENT'}
end
local fence = string.match(entry, '\tHELD\t(%d+)\t[^\t]+\t%d+$')
return {'SPENT', entry, format('%d', now + redis.call('PTTL', KEYS[2])),
  fence and redis.call('GET', prefix .. 'hold:' .. fence) or ''}
