-- restore: restore holds that Postgres has as held and Redis has lost.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  records  of live holds, higher fences first, after recount
--
-- Returns    {'RESTORED\t<restored>\t<lost>'} numbers of holds | {'SUPERSEDED'}
-- Writes     each hold with its fence and a whole lease, because its last heartbeats may be lost. Of two
--            holds of one item the higher fence keeps it; the other one is EXPIRED, LOST, and stays
--            until its line has reached Postgres. So is a hold of an item that is out of sale: it had
--            ended before the item was blocked
-- Replay     RESTORED without further holds
-- Cost       O(records × items)

-- include: shared/batch
-- include: shared/record
-- include: shared/ending
-- include: shared/bids
-- include: shared/versions

local NET_MS = 60000
local has_blocks
local latest = now -- end of a window

local function restore_hold(hold)
  local lease_until = math.min(now + hold[9], tonumber(hold[8]))
  hold[7] = format('%d', lease_until)
  local item_ms = format('%d', math.max(lease_until - now, 0) + NET_MS)
  for item in string.gmatch(hold[14], '[^\n]+') do
    call('SET', prefix .. 'item:' .. item, hold[2], 'PX', item_ms)
  end
  held = held + count_of(hold)
  keep_record(hold[2], table.concat(hold, '\t'))
  set_due(hold[2], hold[7])
  latest = math.max(latest, tonumber(hold[8]))
  if hold[17] then
    enter_bid(hold)
  else
    count_holds(who(hold[4], hold[5]), 1)
    set_own(hold[4], hold[5], hold[2], count_of(hold))
  end
end

-- The live holds of the same items, and whether one of them has a higher fence or an item is out of
-- sale. The highest fence keeps the items.
local function rivals_of(hold)
  local rivals, is_beaten = {}, false
  for item in string.gmatch(hold[14], '[^\n]+') do
    is_beaten = is_beaten or (has_blocks and is_blocked(get('item:' .. item)))
    local fence = call('GET', prefix .. 'item:' .. item)
    local record = fence and record_of(fence)
    local rival = record and parsed(record)
    if rival and rival[1] == 'HELD' then
      rivals[fence] = rival
      is_beaten = is_beaten or tonumber(fence) > tonumber(hold[2])
    end
  end
  return rivals, is_beaten
end

read_meta({'blocked'})
has_blocks = (meta['blocked'] or '0') ~= '0'
-- include: shared/seeding
local restored, lost = 0, 0
for i = 3, #ARGV do
  local hold = parsed(ARGV[i])
  if not record_of(hold[2]) then
    local rivals, is_beaten = rivals_of(hold)
    if is_beaten then
      local record = ended(hold, 'EXPIRED', 'LOST')
      keep_record(hold[2], record)
      note_uncaused('EXPIRED\t' .. record)
      lost = lost + 1
    else
      for _, rival in pairs(rivals) do
        expire(rival, 'LOST')
      end
      restore_hold(hold)
      restored = restored + 1
    end
  end
end
write()
if restored > 0 then -- the same TTL as after placing, and never shorter than before
  local condition = call('PTTL', HOLDS) < 0 and 'NX' or 'GT'
  call('PEXPIRE', HOLDS, format('%d', latest - now + 604800000), condition)
end
return {'RESTORED\t' .. format('%d\t%d', restored, lost)}
