-- The state that the calls of one batch share. Items are written at once, everything else by write(),
-- with one command per key, after all calls are decided. A later call sees the changes of an earlier one.
local format, call = string.format, redis.call -- '%d' is exact up to 2^53
local time = call('TIME')
local ms = time[2] / 1000
local now = time[1] * 1000 + (ms - ms % 1)
local now_text = format('%d', now)
local prefix = string.sub(KEYS[1], 1, -5)
local META, JOURNAL, HOLDS, DUE = KEYS[1], KEYS[2], prefix .. 'holds', prefix .. 'due'
local LINE = '\30' -- between the lines of an entry of the journal

local meta, changed_fields = {}, {} -- the fields of meta that were read; the names of those that change
local state, run_id, epoch, seq, version, held, sold, line_no, window
local rules, items_max -- of the pool: "<version>\t<sales_from>\t<sales_until>\t<items_max>", times in ms
local records, hold_args = {}, {} -- by fence; arguments of HSET
local due_args, due_gone = {}, {}
local lines = {''} -- of the journal entry; the first becomes its header
local FREED_KEPT, FREED_MS = 512, 600000
local freed_items = {} -- taken items that may be free again

local function read_meta(fields)
  local found = call('HMGET', META, 'state', 'run_id', 'epoch', 'seq', 'version', 'held', 'sold',
    'lines', 'window', 'rules', unpack(fields))
  state, run_id, epoch, seq = found[1], found[2], found[3], (found[4] or 0) + 0
  version, held, sold = (found[5] or 0) + 0, (found[6] or 0) + 0, (found[7] or 0) + 0
  line_no, window, rules = (found[8] or 0) + 0, found[9], found[10]
  items_max = rules and tonumber(string.match(rules, '%d*$'))
  for i = 1, #fields do
    meta[fields[i]] = found[10 + i]
  end
end

local function get(field)
  local value = meta[field]
  if value == nil then
    value = call('HGET', META, field)
    meta[field] = value
  end
  return value
end

local function put(field, value) -- false removes the field
  meta[field] = value
  changed_fields[#changed_fields + 1] = field
end

-- The field of meta that counts the holds of a requester.
local function who(caller, requester)
  return 'who:' .. caller .. '\t' .. requester
end

local function count_holds(field, change)
  local count = (get(field) or 0) + change
  put(field, count > 0 and format('%d', count))
end

-- In a pool with a limit of items per requester, own:<hash of caller and requester> has the items or units of each
-- of its holds and sales, as " <fence>=<number>". A hold that is sold keeps its fence, so nothing is counted
-- twice.
local function own_items(caller, requester)
  return 'own:' .. redis.sha1hex(caller .. '\t' .. requester) -- sales stay, and names must not
end

local function set_own(caller, requester, fence, number)
  if items_max then
    local field = own_items(caller, requester)
    local others = string.gsub(get(field) or '', ' ' .. fence .. '=%d+', '')
    others = number > 0 and others .. ' ' .. fence .. '=' .. format('%d', number) or others
    put(field, others ~= '' and others)
  end
end

-- Whether the requester would have more than the pool allows. gone: items of its holds that end before.
local function is_over_limit(caller, requester, more, gone)
  if not items_max then
    return false
  end
  local sum = more - (gone or 0)
  for number in string.gmatch(get(own_items(caller, requester)) or '', '=(%d+)') do
    sum = sum + number
  end
  return sum > items_max
end

-- When the sale begins and ends. Rules that cannot be read close it.
local function sales_times()
  if not rules or rules == '' then
    return 0, math.huge
  end
  local from, until_ms = string.match(rules, '^%d+\t(%d+)\t(%d+)')
  return (from or 0) + 0, (until_ms or 0) + 0
end

-- The operator has closed the sale, or it has ended.
local function are_sales_over()
  local _, until_ms = sales_times()
  return now >= until_ms
end

-- The sale is over or has not begun.
local function are_sales_closed()
  local from, until_ms = sales_times()
  return now < from or now >= until_ms
end

-- Whether the pool was changed after the caller has read this version of it.
local function is_changed_since(known)
  return tonumber(string.match(rules or '', '^%d+') or 0) > tonumber(known)
end

local function read_holds(fences)
  if #fences > 0 then
    local found = call('HMGET', HOLDS, unpack(fences))
    for i = 1, #fences do
      records[fences[i]] = found[i]
    end
  end
end

local function record_of(fence) -- false if there is none
  local record = records[fence]
  if record == nil then
    record = call('HGET', HOLDS, fence)
    records[fence] = record
  end
  return record
end

local function keep_record(fence, record)
  records[fence] = record
  local at = #hold_args
  hold_args[at + 1], hold_args[at + 2] = fence, record
end

local function set_due(fence, moment)
  local at = #due_args
  due_args[at + 1], due_args[at + 2] = moment, fence
end

-- Adds a line to the journal; key is "<caller>\t<token>".
local function note(key, action, digest, window_ms, outcome)
  lines[#lines + 1] = key .. '\t' .. action .. '\t' .. digest .. '\t' .. window_ms .. '\t' .. outcome
end

-- Adds a line that no call caused.
local function note_uncaused(outcome)
  note('\t', '', '', '', outcome)
end

-- Counts the items that became free and stores the last of their names, so that an instance that knows
-- the taken items learns which of them may be free. A pool that is being seeded needs no such list.
local function write_freed()
  local first = math.max(1, #freed_items - FREED_KEPT + 1)
  call('HINCRBY', META, 'freed', #freed_items)
  if call('RPUSH', prefix .. 'freed', unpack(freed_items, first)) > 2 * FREED_KEPT then
    call('LTRIM', prefix .. 'freed', -FREED_KEPT, -1)
  end
  call('PEXPIRE', prefix .. 'freed', FREED_MS)
end

local function write()
  if #freed_items > 0 and state == 'OPEN' then
    write_freed()
  end
  if #hold_args > 0 then
    call('HSET', HOLDS, unpack(hold_args))
  end
  if #due_args > 0 then
    call('ZADD', DUE, unpack(due_args))
  end
  if #due_gone > 0 then
    call('ZREM', DUE, unpack(due_gone))
  end
  if #lines > 1 then
    lines[1] = epoch .. '\t' .. now_text .. '\t' .. format('%d', line_no)
    call('XADD', JOURNAL, '*', 'lines', table.concat(lines, LINE))
    line_no = line_no + #lines - 1
  end
  if #lines == 1 and #changed_fields == 0 and #hold_args == 0 then
    return
  end
  local changed, gone = {'seq', format('%d', seq), 'version', format('%d', version),
    'held', format('%d', held), 'sold', format('%d', sold), 'lines', format('%d', line_no)}, {}
  for i = 1, #changed_fields do
    local field = changed_fields[i]
    local value = meta[field]
    if value then
      local at = #changed
      changed[at + 1], changed[at + 2] = field, value
    else
      gone[#gone + 1] = field
    end
  end
  call('HSET', META, unpack(changed))
  if #gone > 0 then
    call('HDEL', META, unpack(gone))
  end
end
