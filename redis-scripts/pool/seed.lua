-- seed: begin a new epoch of a pool, unless this or a newer one has begun.
--
-- KEYS[1]    meta     {p:<pool>}:meta      hash: state, kind, epoch, seq, version, held, sold, lines,
--                                          window, run_id, rules, freed (number of items that became free),
--                                          and what each epoch loads and counts again:
--                                          item:<item>, blocked (their number),
--                                          who:<caller>\t<requester>, own:<hash>;
--                                          of an auction also closes_at, bid:<caller>\t<requester>
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    taken from Postgres for this seeding only
-- ARGV[3]    kind     SEATS | STOCK | UNIQUE | AUCTION
-- ARGV[4]    drained_ms  time of the last line that Postgres has; 0 for none
-- ARGV[5]    cause    of this epoch, for the journal
-- ARGV[6]    window   how long tokens are kept, in ms
-- ARGV[7]    closes_at  of an auction, in ms; nothing for other pools
-- ARGV[8]    closing  CLOSING: the auction takes no more bids in any case, or nothing
-- ARGV[9]    rules    version, sales_from, sales_until and items_max of the pool, or nothing
--
-- Returns    {'SEEDING\t<run_id>'}    the caller has to load and open the epoch
--            | {'OPEN'}              this epoch is open already
--            | {'SUPERSEDED\t<epoch>'} there is a newer epoch, or this one on another server
-- Writes     meta, only with SEEDING and only the first time; no hold is placed before OPEN. The
--            journal continues after the lines that Postgres has, also if the clock is behind. Tickets
--            are loaded again from Postgres, after their lines have reached it
-- Replay     same arguments: SEEDING again, or OPEN once the epoch was opened
-- Cost       O(1); old counts are unlinked

-- include: shared/batch

read_meta({})
local wanted, present = tonumber(ARGV[2]), tonumber(epoch or 0)
if present == wanted and run_id == ARGV[1] then
  return state == 'OPEN' and {'OPEN'} or {'SEEDING\t' .. run_id}
end
if present >= wanted then
  return {'SUPERSEDED\t' .. format('%d', present)}
end

local entry = ARGV[2] .. '\t' .. now_text .. '\t0' .. LINE .. '\t\t\t\t\tSEEDING\t' .. ARGV[5]
local drained_ms = tonumber(ARGV[4])
local behind = drained_ms >= now and redis.pcall(
  'XADD', JOURNAL, format('%d', drained_ms + 1) .. '-0', 'lines', entry)
if not behind or behind.err then
  call('XADD', JOURNAL, '*', 'lines', entry)
end
call('UNLINK', META, prefix .. 'counted', prefix .. 'freed', prefix .. 'queue', prefix .. 'tickets',
  prefix .. 'queued', prefix .. 'present', prefix .. 'passes', prefix .. 'revoked', prefix .. 'inside',
  prefix .. 'choosing', prefix .. 'bids', prefix .. 'kept')
call('HSET', META, 'state', 'SEEDING', 'kind', ARGV[3], 'epoch', ARGV[2], 'seq', '0', 'version', '0',
  'held', '0', 'sold', '0', 'lines', '1', 'window', ARGV[6],
  'run_id', ARGV[1])
if ARGV[9] ~= '' then
  call('HSET', META, 'rules', ARGV[9])
end
if ARGV[7] ~= '' then
  local closes_at = tonumber(ARGV[7])
  closes_at = ARGV[8] == 'CLOSING' and math.min(now, closes_at) or closes_at
  call('HSET', META, 'closes_at', format('%d', closes_at))
end
return {'SEEDING\t' .. ARGV[1]}
