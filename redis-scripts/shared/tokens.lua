-- Tokens: the hash tok:<bucket> has "<caller>\t<token>" -> "<recorded_at>\t<action>\t<digest>\t<outcome>",
-- where the bucket is that of the time of writing, or of recorded_at. A token is valid while
-- now - recorded_at < window, so it is in the current bucket or in the previous one.
--
-- Postgres replays the outcome of a commit for longer. The string committed:<caller>\t<token> lives for
-- that time: no other action may use the token.
--
-- The hash kept has the entries of other actions that are valid for longer than a window, because the
-- pool had a longer one when they were written. Their recorded_at is a window before their end.
local bucket
local committed = {} -- by key
local entries, token_args = {}, {} -- by key; arguments of HSET

local function bucket_key(number)
  return prefix .. 'tok:' .. format('%d', number)
end

-- If the clock was set back across the edge of a bucket, the later bucket stays current. Otherwise its
-- tokens would not be found.
local function find_bucket()
  bucket = (now - now % window) / window
  if call('EXISTS', bucket_key(bucket + 1)) == 1 then
    bucket = bucket + 1
  end
end

local function read_tokens(keys)
  find_bucket()
  local present = call('HMGET', bucket_key(bucket), unpack(keys))
  local before = call('HMGET', bucket_key(bucket - 1), unpack(keys))
  for i = 1, #keys do
    local entry = present[i]
    if entry and before[i] and string.find(entry, '\tRUNNING\t%d+$') then
      entry = before[i] -- an outcome takes precedence over RUNNING
    end
    entries[keys[i]] = entry or before[i]
  end
  if call('EXISTS', prefix .. 'kept') == 1 then -- rare, and cheaper to ask than to look up each key
    for i, entry in ipairs(call('HMGET', prefix .. 'kept', unpack(keys))) do
      if entry and now - string.match(entry, '^%d+') < window + 0 then
        entries[keys[i]] = entry
      end
    end
  end
  local names = {}
  for i = 1, #keys do
    names[i] = prefix .. 'committed:' .. keys[i]
  end
  for i, mark in ipairs(call('MGET', unpack(names))) do
    committed[keys[i]] = mark
  end
end

-- REPLAY and the stored outcome, or why the token cannot be used for this call; nil if it was not used.
-- A running commit has a RUNNING entry with an end time instead of an outcome.
local function spent(key, action, digest)
  local entry = entries[key]
  local bound = committed[key] and action ~= 'confirm' and 'COLLISION' or nil
  if not entry then
    return bound
  end
  local at, was, recorded, outcome = string.match(entry, '^(%d+)\t([^\t]*)\t([^\t]*)\t(.*)$')
  local runs_until = string.match(outcome, '^RUNNING\t(%d+)$')
  if now - at >= window + 0 or (runs_until and (runs_until + 0 <= now or was == action)) then
    return bound
  end
  if was == action and recorded == digest then
    return 'REPLAY\t' .. outcome, at
  end
  local digest_function = string.match(recorded, '^[^:]*')
  if was == action and digest_function ~= string.match(digest, '^[^:]*') then
    return 'DRIFT\t' .. digest_function
  end
  return 'COLLISION'
end

local function keep_entry(key, entry)
  entries[key] = entry
  local at = #token_args
  token_args[at + 1], token_args[at + 2] = key, entry
end

-- Keeps an outcome for longer than a window. stored: an entry without its time.
local function keep_longer(key, action, stored, left)
  if action == 'confirm' then
    call('SET', prefix .. 'committed:' .. key, action, 'PX', format('%d', left), 'NX')
    return
  end
  local kept = prefix .. 'kept'
  call('HSET', kept, key, format('%d', now - window + left) .. stored)
  call('PEXPIRE', kept, format('%d', left), call('PTTL', kept) < 0 and 'NX' or 'GT')
end

local function keep_token(key, action, digest, outcome)
  keep_entry(key, now_text .. '\t' .. action .. '\t' .. digest .. '\t' .. outcome)
end

-- Stores the outcome under its token and in the journal.
local function remember(key, action, digest, outcome)
  keep_token(key, action, digest, outcome)
  note(key, action, digest, window, outcome)
  return outcome
end

-- The sweep unlinks old buckets; the TTL is a safety net.
local function write_tokens()
  if #token_args > 0 then
    local key = bucket_key(bucket)
    call('HSET', key, unpack(token_args))
    call('PEXPIRE', key, format('%d', 4 * window), 'NX')
  end
end
