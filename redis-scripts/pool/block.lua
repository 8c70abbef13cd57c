-- block: mark items that an operator takes out of sale, all of them or none, until Postgres has decided.
--
-- KEYS[1]    meta     {p:<pool>}:meta   hash: item:<item>
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    verb     MARK | LIFT: Postgres has refused
-- ARGV[3]    owner    of the marks
-- ARGV[4..]  items    distinct
--
-- Returns    {'MARKED\t<epoch>\t<until_ms>\t<items>'} nobody can hold the items; Postgres decides before that
--            time. The items in the reply are out of sale and got no mark: an end of that may be on its way
--            | {'TAKEN\t<items>'} these are held or sold, divided by line feeds | {'NO_SUCH_ITEM\t<items>'}
--            | {'BUSY'} another call is blocking one of them | {'LIFTED'} | {'UNSEEDED\t<why>'}
-- Writes     with MARKED the marks, after the end of lapsed holds; blocked items stay as they are. With
--            LIFTED the end of the owner's marks. The reconciler ends the marks of a process that died
-- Replay     MARKED, LIFTED, or the refusal
-- Cost       O(items)

-- include: shared/batch
-- include: shared/record
-- include: shared/ending
-- include: shared/versions

local MARK_MS, DECIDE_MS = 60000, 20000
local owner = ARGV[3]
local fields = {}
for i = 4, #ARGV do
  fields[#fields + 1] = 'item:' .. ARGV[i]
end
read_meta(fields)
-- include: shared/open

local function owner_of(value)
  return string.match(value or '', ' BLOCKING %d+ (.*)$')
end

if ARGV[2] == 'LIFT' then
  for i = 4, #ARGV do
    local field = 'item:' .. ARGV[i]
    if owner_of(meta[field]) == owner then
      put(field, string.match(meta[field], '^%d+'))
      freed_items[#freed_items + 1] = ARGV[i]
    end
  end
  write()
  return {'LIFTED'}
end

-- NO_SUCH_ITEM, TAKEN or BUSY, or nil and the hold of the item if that has lapsed.
local function refusal(item)
  local value, fence = meta['item:' .. item], call('GET', prefix .. 'item:' .. item)
  local record = fence and record_of(fence)
  local hold = record and parsed(record)
  if not value then
    return 'NO_SUCH_ITEM'
  end
  if is_being_blocked(value) and owner_of(value) ~= owner then
    return 'BUSY'
  end
  if hold and hold[1] == 'HELD' and (is_pinned(hold) or not has_lapsed(hold)) then
    return 'TAKEN'
  end
  if string.find(value, ' ', 1, true) and not is_blocked(value) and not owner_of(value) then
    return 'TAKEN'
  end
  return nil, hold and hold[1] == 'HELD' and hold
end

local refused, lapsed = {NO_SUCH_ITEM = {}, TAKEN = {}, BUSY = {}}, {}
for i = 4, #ARGV do
  local word, hold = refusal(ARGV[i])
  if word then
    table.insert(refused[word], ARGV[i])
  elseif hold then
    lapsed[hold[2]] = hold
  end
end
if #refused.NO_SUCH_ITEM > 0 then
  return {'NO_SUCH_ITEM\t' .. table.concat(refused.NO_SUCH_ITEM, '\n')}
end
if #refused.TAKEN > 0 then
  return {'TAKEN\t' .. table.concat(refused.TAKEN, '\n')}
end
if #refused.BUSY > 0 then
  return {'BUSY'}
end
for _, hold in pairs(lapsed) do
  expire(hold, elapsed_reason(hold))
end
local out_of_sale = {}
for i = 4, #ARGV do
  local field = 'item:' .. ARGV[i]
  if is_blocked(meta[field]) then
    out_of_sale[#out_of_sale + 1] = ARGV[i]
  else
    put(field, string.match(meta[field], '^%d+') .. ' BLOCKING ' .. format('%d ', now + MARK_MS) .. owner)
  end
end
write()
return {'MARKED\t' .. epoch .. '\t' .. format('%d', now + DECIDE_MS) .. '\t' .. table.concat(out_of_sale, '\n')}
