-- expire: end a hold whose time is over, or, by force, one whose time is not.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    token      {p:<pool>}:tok:<caller>:<token>
-- KEYS[3]    journal    {p:<pool>}:journal
-- KEYS[4]    hold       {p:<pool>}:hold:<fence>   string: the record
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    caller     ARGV[3] token  ARGV[4] digest  ARGV[5] window_ms of the token
-- ARGV[6]    salt       ARGV[7] force: 'force' or nothing
--
-- Returns    {'EXPIRED', record} | {'WINDOW_NOT_ELAPSED', ''} | {'NOT_HELD', ''}
--            | {'NOT_KNOWN', ''}
--            | {'PINNED', record, end_reason, epoch}  it is being committed
--            | {'ABSENT'}  it has ended and was taken to Postgres, or never was
--            | {'REPLAY', outcome} | {'COLLISION'} | {'DRIFT', digest_function}
--            | {'UNSEEDED', why}
-- Writes     the end of the hold with EXPIRED, the outcome under its token and in the journal;
--            nothing with ABSENT and PINNED, which somebody who can ask Postgres has to decide
-- Replay     same token and digest: REPLAY with the first outcome, or ABSENT or PINNED again
-- Cost       O(items)

local action, digest = 'expire', ARGV[4]

-- include: shared/now
-- include: shared/meta
-- include: shared/open

local entry = redis.call('GET', KEYS[2])
-- include: shared/token
-- include: shared/remember
-- include: shared/record
-- include: shared/ending

local record = redis.call('GET', KEYS[4])
if not record then
  return {'ABSENT'}
end
local hold = parsed(record)
if hold[3] ~= ARGV[6] then
  remember('NOT_KNOWN', '')
  return {'NOT_KNOWN', ''}
end
if hold[1] ~= 'HELD' then
  remember('NOT_HELD', '')
  return {'NOT_HELD', ''}
end
local is_over = has_lapsed(hold)
if not is_over and ARGV[7] ~= 'force' then
  remember('WINDOW_NOT_ELAPSED', '')
  return {'WINDOW_NOT_ELAPSED', ''}
end

local reason = is_over and elapsed_reason(hold) or 'FORCED'
if is_pinned(hold) then
  return {'PINNED', record, reason, meta[3]}
end
record = finish(hold, 'EXPIRED', reason)
remember('EXPIRED', record)
redis.call('HSET', KEYS[1], 'version', version, 'held', held)
return {'EXPIRED', record}
