-- unname: replace a requester in a part of the outcomes or tickets that a pool stores.
--
-- KEYS[1]    meta       {p:<pool>}:meta   hash: own:<hash>
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    part       TICKETS, KEPT, or how many buckets of tokens before the newest one: 0 to 5
-- ARGV[3]    cursor     0, or the cursor of the reply before
-- ARGV[4]    count      of entries, about
-- ARGV[5]    caller
-- ARGV[6]    requester
-- ARGV[7]    pseudonym  of the requester
-- ARGV[8]    until      the time of the shredding, in ms
--
-- Returns    {'SCANNED\t<cursor>'} the cursor is 0 after the last entries | {'UNSEEDED\t<why>'}
-- Writes     the pseudonym, and no metadata, in the outcomes of the requester's calls; what the requester
--            has bought, under the hash of the pseudonym; removes the requester's tickets whose pass is
--            over, because Postgres has their admission. Later outcomes and tickets, and live holds, are
--            of a person who has returned, and stay. KEPT has no times of calls, so all of it changes
-- Replay     SCANNED
-- Cost       O(count)

-- include: shared/batch
-- include: shared/tokens
-- include: shared/tickets

local part, cursor, count = ARGV[2], ARGV[3], ARGV[4]
local caller, requester, pseudonym = ARGV[5], ARGV[6], ARGV[7]
local until_ms = ARGV[8] + 0
local PERSON = {TICKET_JOINED = 12, TICKET_SAME = 12} -- field of an entry; of all others the 9th
local METADATA = 20

local function fields_of(text)
  local fields = {}
  for field in string.gmatch(text .. '\t', '([^\t]*)\t') do
    fields[#fields + 1] = field
  end
  return fields
end

-- The time, the action, the digest, and the outcome: a word and the fields of a record.
local function unname(key, name, entry)
  local fields = fields_of(entry)
  local person = PERSON[fields[4]] or 9
  if part ~= 'KEPT' and fields[1] + 0 > until_ms then
    return
  end
  if fields[person - 1] ~= caller or fields[person] ~= requester then
    return
  end
  fields[person] = pseudonym
  if fields[METADATA] and fields[METADATA] ~= '' then
    fields[METADATA] = '{}'
  end
  call('HSET', key, name, table.concat(fields, '\t'))
end

local function forget(number)
  local ticket = ticket_of(number)
  local is_theirs = ticket[4] == caller and ticket[5] == requester and ticket[7] + 0 <= until_ms
  if is_theirs and ticket[1] == 'ADMITTED' and not is_live(ticket) then
    forget_name(ticket)
    call('HDEL', TICKETS, number)
  end
end

-- As the next epoch would load it: the sales have the pseudonym in Postgres. A shredding finds no live
-- holds, so these were placed since.
local function rename_own()
  local old, new = own_items(caller, requester), own_items(caller, pseudonym)
  local gone, live = '', ''
  for entry, fence in string.gmatch(call('HGET', META, old) or '', '( (%d+)=%d+)') do
    if string.find(record_of(fence) or '', '^HELD\t') then
      live = live .. entry
    else
      gone = gone .. entry
    end
  end
  if gone ~= '' then
    call('HSET', META, new, (call('HGET', META, new) or '') .. gone)
    if live ~= '' then
      call('HSET', META, old, live)
    else
      call('HDEL', META, old)
    end
  end
end

read_meta({})
-- include: shared/open
rename_own()
find_bucket()
local key = part == 'TICKETS' and TICKETS or part == 'KEPT' and prefix .. 'kept' or bucket_key(bucket - part)
local scan = call('HSCAN', key, cursor, 'COUNT', count)
for i = 1, #scan[2], 2 do
  if part == 'TICKETS' then
    forget(scan[2][i])
  else
    unname(key, scan[2][i], scan[2][i + 1])
  end
end
return {'SCANNED\t' .. scan[1]}
