-- read: the next entries of a pool's journal, and the epoch of the pool.
--
-- KEYS[1]    meta     {p:<pool>}:meta      hash: epoch, run_id
-- KEYS[2]    journal  {p:<pool>}:journal   stream, one field: lines
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    after    the id of an entry; later ones are read, from 0-0 all
-- ARGV[3]    lines    no further entry is read after this many lines
--
-- Returns    {'ENTRIES\t<epoch>', id, entry, …}  none if there are none; also while the pool is being
--                                           seeded, because surviving entries are drained first
--            | {'UNSEEDED'}
-- Writes     nothing
-- Replay     ENTRIES again
-- Cost       O(lines)

local meta = redis.call('HMGET', KEYS[1], 'run_id', 'epoch')
if meta[1] ~= ARGV[1] then
  return {'UNSEEDED'}
end
local reply, lines, after, entries = {'ENTRIES\t' .. meta[2]}, 0, ARGV[2], nil
repeat -- a few at a time: an entry has one line or many
  entries = redis.call('XRANGE', KEYS[2], '(' .. after, '+', 'COUNT', 8)
  for _, entry in ipairs(entries) do
    if lines < tonumber(ARGV[3]) then
      reply[#reply + 1] = entry[1]
      reply[#reply + 1] = entry[2][2]
      lines = lines + select(2, string.gsub(entry[2][2], '\30', ''))
      after = entry[1]
    end
  end
until #entries == 0 or lines >= tonumber(ARGV[3])
return reply
