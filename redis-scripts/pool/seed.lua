-- seed: begin a new epoch of a pool, unless this or a newer one has begun already.
--
-- KEYS[1]    meta     {p:<pool>}:meta      hash: state, kind, epoch, seq, version, held, run_id,
--                                          and what is loaded and counted anew in every epoch:
--                                          item:<item>, who:<caller>\t<requester>
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    taken from Postgres for this call, so no two seedings share it
-- ARGV[3]    kind     SEATS | STOCK | UNIQUE | AUCTION
-- ARGV[4]    drained_ms  when the last line was written that Postgres has; 0 for none
-- ARGV[5]    cause    of this epoch, for the journal
--
-- Returns    {'SEEDING', run_id}     the epoch is ours to fill and then to open
--            | {'OPEN'}              this very epoch has been opened meanwhile
--            | {'SUPERSEDED', epoch} a newer epoch, or this one under another server, is there
-- Writes     meta, only with SEEDING and only the first time; no grant is made before OPEN. The
--            journal goes on behind what Postgres has, also where the clock or the stream is behind
-- Replay     same arguments: SEEDING again, or OPEN once the epoch was opened
-- Cost       O(1); what is counted anew is unlinked

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local prefix = string.sub(KEYS[1], 1, -5)
local meta = redis.call('HMGET', KEYS[1], 'state', 'epoch', 'run_id')
local state, run_id = meta[1], meta[3]
local epoch, present = tonumber(ARGV[2]), tonumber(meta[2] or '0')

if present == epoch and run_id == ARGV[1] then
  return state == 'OPEN' and {'OPEN'} or {'SEEDING', run_id}
end
if present >= epoch then
  return {'SUPERSEDED', string.format('%.0f', present)}
end

local line = ARGV[2] .. '\t' .. string.format('%.0f', now) .. '\t\t\t\t\t\tSEEDING\t' .. ARGV[5]
local drained_ms = tonumber(ARGV[4])
local behind = drained_ms >= now and redis.pcall(
  'XADD', KEYS[2], string.format('%.0f', drained_ms + 1) .. '-0', 'line', line)
if not behind or behind.err then
  redis.call('XADD', KEYS[2], '*', 'line', line)
end
redis.call('UNLINK', KEYS[1], prefix .. 'counted')
redis.call('HSET', KEYS[1], 'state', 'SEEDING', 'kind', ARGV[3], 'epoch', ARGV[2], 'seq', '0',
  'version', '0', 'held', '0', 'sold', '0', 'run_id', ARGV[1])
return {'SEEDING', ARGV[1]}
