-- recount: count surviving holds that Postgres has as held, and remove those that have ended.
--
-- KEYS[1]    meta     {p:<pool>}:meta
-- KEYS[2]    journal  {p:<pool>}:journal
-- ARGV[1]    run_id   of the server at the other end of this connection
-- ARGV[2]    epoch    that is being seeded
-- ARGV[3..]  verdicts fence and KEEP or DROP by turns
--
-- Returns    {'KEPT'} | {'SUPERSEDED'}
-- Writes     the counts of meta, the leader board of an auction, the set counted (the fences that this epoch has counted), and a whole
--            lease for each kept hold, because this server may have missed heartbeats. A dropped hold
--            is removed without a line, because the journal already has its end. A hold of an item that is
--            out of sale is EXPIRED, LOST
-- Replay     KEPT, without counting twice
-- Cost       O(verdicts × items)

-- include: shared/batch
-- include: shared/record
-- include: shared/bids
-- include: shared/ending
-- include: shared/versions

local NET_MS = 60000
local has_blocks

-- Takes items back whose TTL is over. If another hold has one of them, the hold stays as it is, and the
-- sweep ends it.
local function renew_lease(hold)
  local keys = {}
  for item in string.gmatch(hold[14], '[^\n]+') do
    keys[#keys + 1] = prefix .. 'item:' .. item
    if (call('GET', keys[#keys]) or hold[2]) ~= hold[2] then
      return
    end
  end
  local lease_until = math.min(now + hold[9], tonumber(hold[8]))
  lease_until = math.max(lease_until, tonumber(hold[7]))
  hold[7] = format('%d', lease_until)
  for _, key in ipairs(keys) do
    call('SET', key, hold[2], 'PX', format('%d', math.max(lease_until - now, 0) + NET_MS))
  end
  keep_record(hold[2], table.concat(hold, '\t'))
  set_due(hold[2], hold[7])
end

-- It had ended before its item was taken out of sale, and this server did not see that.
local function has_blocked_item(hold)
  for item in string.gmatch(has_blocks and hold[14] or '', '[^\n]+') do
    if is_blocked(get('item:' .. item)) then
      return true
    end
  end
  return false
end

local function remove(fence, items)
  for item in string.gmatch(items, '[^\n]+') do
    if call('GET', prefix .. 'item:' .. item) == fence then
      call('DEL', prefix .. 'item:' .. item)
    end
  end
  due_gone[#due_gone + 1] = fence
  call('HDEL', HOLDS, fence)
end

read_meta({'blocked'})
has_blocks = (meta['blocked'] or '0') ~= '0'
-- include: shared/seeding
for i = 3, #ARGV, 2 do
  local fence = ARGV[i]
  local record = record_of(fence)
  local hold = record and parsed(record)
  local has_ended_here = hold and hold[11] == 'LOST' and ARGV[i + 1] == 'KEEP'
  if has_ended_here then
    due_gone[#due_gone + 1] = fence
  elseif not hold or hold[1] ~= 'HELD' or ARGV[i + 1] ~= 'KEEP' then
    remove(fence, hold and hold[14] or '')
  elseif has_blocked_item(hold) then
    remove(fence, hold[14])
    local record = ended(hold, 'EXPIRED', 'LOST')
    keep_record(fence, record)
    note_uncaused('EXPIRED\t' .. record)
  elseif call('SADD', prefix .. 'counted', fence) == 1 then
    held = held + count_of(hold)
    renew_lease(hold)
    if hold[17] then
      enter_bid(hold)
    else
      count_holds(who(hold[4], hold[5]), 1)
      set_own(hold[4], hold[5], fence, count_of(hold))
    end
  end
end
write()
return {'KEPT'}
