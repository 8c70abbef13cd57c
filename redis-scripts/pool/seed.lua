-- seed: begin a new epoch of a pool, unless this or a newer one has begun already.
--
-- KEYS[1]    meta     {p:<pool>}:meta   hash: state, kind, epoch, seq, run_id
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    taken from Postgres for this call, so no two seedings share it
-- ARGV[3]    kind     SEATS | STOCK | UNIQUE | AUCTION
--
-- Returns    {'SEEDING'}             the epoch is ours to fill and then to open
--            | {'OPEN'}              this very epoch has been opened meanwhile
--            | {'SUPERSEDED', epoch} a newer epoch, or this one under another server, is there
-- Writes     meta, only with SEEDING and only the first time; no grant is made before OPEN
-- Replay     same arguments: SEEDING again, or OPEN once the epoch was opened
-- Cost       O(1)

local meta = redis.call('HMGET', KEYS[1], 'state', 'epoch', 'run_id')
local state, run_id = meta[1], meta[3]
local epoch, present = tonumber(ARGV[2]), tonumber(meta[2] or '0')

if present == epoch and run_id == ARGV[1] then
  return state == 'OPEN' and {'OPEN'} or {'SEEDING'}
end
if present >= epoch then
  return {'SUPERSEDED', string.format('%.0f', present)}
end
redis.call('HSET', KEYS[1],
  'state', 'SEEDING', 'kind', ARGV[3], 'epoch', ARGV[2], 'seq', '0', 'run_id', ARGV[1])
return {'SEEDING'}
