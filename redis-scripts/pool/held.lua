-- held: the items that are held now, in parts.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    from     number of holds to skip, in the order of their lease ends
-- ARGV[3]    to       index of the last one
--
-- Returns    {'ITEMS\t<epoch>\t<version>\t<held>\t<sold>\t<blocked>\t<holds>\t<items>'} the counts of
--            the pool, the number of holds read, and their items, divided by line feeds
--            | {'UNSEEDED\t<why>'}
-- Writes     nothing
-- Replay     ITEMS, with the current ones
-- Cost       O(holds read × items)

-- include: shared/batch
-- include: shared/record

read_meta({'blocked'})
-- include: shared/open
local fences = call('ZRANGE', DUE, ARGV[2], ARGV[3])
local items = {}
read_holds(fences)
for _, fence in ipairs(fences) do
  local record = record_of(fence)
  local hold = record and parsed(record)
  if hold and hold[1] == 'HELD' and hold[14] ~= '' and (is_pinned(hold) or not has_lapsed(hold)) then
    items[#items + 1] = hold[14]
  end
end
return {'ITEMS\t' .. epoch .. '\t' .. format('%d\t%d\t%d\t%d\t%d', version, held, sold,
    meta['blocked'] or 0, #fences) .. '\t'
  .. table.concat(items, '\n')}
