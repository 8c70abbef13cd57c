-- refuse: record a refusal that was decided outside, so that its token gives it again.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    token      {p:<pool>}:tok:<caller>:<token>
-- KEYS[3]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    caller     ARGV[3] token  ARGV[4] digest  ARGV[5] window_ms of the token
-- ARGV[6]    action     ARGV[7] outcome  a word, a tab, and what belongs to it
--
-- Returns    {'REFUSED', outcome} | {'REPLAY', outcome} | {'COLLISION'}
--            | {'DRIFT', digest_function} | {'UNSEEDED', why}
-- Writes     the outcome under its token and in the journal, with REFUSED
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(1)

local action, digest = ARGV[6], ARGV[4]

-- include: shared/now
-- include: shared/life
-- include: shared/open

local entry = redis.call('GET', KEYS[2])
-- include: shared/token
-- include: shared/remember

remember(string.match(ARGV[7], '^([^\t]*)\t(.*)$'))
return {'REFUSED', ARGV[7]}
