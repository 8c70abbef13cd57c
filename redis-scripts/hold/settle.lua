-- settle: apply decisions of Postgres: the end of a hold, its items, and the outcome of a token.
--
-- KEYS[1]    meta       {p:<pool>}:meta
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2..]  calls      caller, token, digest, left_ms (rest of the window, or 0), action,
--                       outcome (a word, a tab, and the details; empty: no token), fence,
--                       record (the hold at its end, or empty if it has not ended), items (each with
--                       a tab and its value, divided by line feeds; in front of them, if it is known, a
--                       tab and how many items or units of the sale are not voided)
--
-- Returns    for each call: SETTLED
--            or for all of them: UNSEEDED why
-- Writes     the end of each hold that is HELD here, and its line; a buyer is no longer inside after
--            the waiting room; the items whose version is higher
--            than the stored one; the outcome, for longer than a window of the pool if the rest of its
--            own is longer (of a confirm only a mark), and for a refusal its line
-- Replay     SETTLED, without a second line
-- Cost       O(items)

-- include: shared/batch
-- include: shared/tokens
-- include: shared/record
-- include: shared/ending
-- include: shared/versions

local FIRST, TEXTS = 2, 9

local function update_items(items)
  for item, value in string.gmatch(items, '([^\t\n]+)\t([^\n]+)') do
    local field = 'item:' .. item
    local before = get(field)
    if version_of(value) > version_of(before) then
      version = version + 1
      value = with_mark(value, before)
      put_item(field, before, value)
      if is_freed(before, value) then
        freed_items[#freed_items + 1] = item
      end
    end
  end
end

local function end_hold(fence, record)
  local present = record ~= '' and record_of(fence)
  if not present or string.sub(present, 1, 5) ~= 'HELD\t' then
    return false
  end
  local hold = parsed(present)
  end_as(hold, record)
  local ticket = string.sub(record, 1, 10) == 'CONFIRMED\t'
    and call('HGET', prefix .. 'queued', hold[4] .. '\t' .. hold[5])
  if ticket then
    call('ZREM', prefix .. 'inside', ticket)
    call('ZREM', prefix .. 'choosing', ticket)
  end
  return true
end

-- A sale counts for the limit of its requester. It is counted with the end of its hold; later only voids
-- change it, whose order does not matter then.
local function count_sale(has_ended, record, items)
  local live = items_max and record ~= '' and string.match(items, '^\t(%d+)')
  if live then
    local hold = parsed(record)
    local known = string.match(get(own_items(hold[4], hold[5])) or '', ' ' .. hold[2] .. '=(%d+)')
    if has_ended or known then
      set_own(hold[4], hold[5], hold[2], math.min(live + 0, (known or live) + 0))
    end
  end
end

-- The window began earlier, in Postgres. The entry still goes into the current bucket, because a RUNNING
-- entry there would hide it otherwise. Returns whether the outcome is new here.
local function keep_outcome(key, action, digest, outcome, left)
  local stored = '\t' .. action .. '\t' .. digest .. '\t' .. outcome
  local entry = entries[key]
  if left <= 0 or (entry and string.sub(entry, -#stored) == stored) then
    return false
  end
  keep_entry(key, format('%d', now - window + math.min(left, window)) .. stored)
  if left > window + 0 then
    keep_longer(key, action, stored, left)
  end
  return true
end

local function settle(key, digest, left_ms, action, outcome, fence, record, items)
  update_items(items)
  local is_new = end_hold(fence, record)
  count_sale(is_new, record, items)
  if outcome ~= '' then
    is_new = keep_outcome(key, action, digest, outcome, tonumber(left_ms)) or is_new
  end
  if is_new and outcome ~= '' then
    note(key, action, digest, math.max(tonumber(left_ms), 1), outcome)
  elseif is_new then
    note_uncaused(string.match(record, '^[^\t]*') .. '\t' .. record)
  end
  return 'SETTLED'
end

local fields, keys, fences, outcomes = {}, {}, {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
  fences[#fences + 1] = ARGV[at + 6]
  for item in string.gmatch(ARGV[at + 8], '([^\t\n]+)\t[^\n]+') do
    fields[#fields + 1] = 'item:' .. item
  end
end
read_meta(fields)
-- include: shared/open
read_tokens(keys)
read_holds(fences)
for i = 1, #keys do
  local at = FIRST + TEXTS * (i - 1)
  outcomes[i] = settle(keys[i], unpack(ARGV, at + 2, at + 8))
end
write_tokens()
write()
return outcomes
