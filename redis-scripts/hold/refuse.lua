-- refuse: store a refusal that the service has decided, so that it is replayed.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      caller, token, digest, action, outcome (a word, a tab and the details)
--
-- Returns    for each call: REFUSED outcome | REPLAY outcome | COLLISION | DRIFT digest_function
--            or for all of them: UNSEEDED why
-- Writes     the outcome under its token and in the journal, with REFUSED
-- Replay     same token and digest: REPLAY with the first outcome
-- Cost       O(1)

-- include: shared/batch
-- include: shared/tokens

local FIRST, TEXTS = 2, 5
read_meta({})
-- include: shared/open
local keys, outcomes = {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
end
read_tokens(keys)
for i = 1, #keys do
  local digest, action, outcome = unpack(ARGV, FIRST + TEXTS * (i - 1) + 2, FIRST + TEXTS * i - 1)
  outcomes[i] = spent(keys[i], action, digest)
    or 'REFUSED\t' .. remember(keys[i], action, digest, outcome)
end
write_tokens()
write()
return outcomes
