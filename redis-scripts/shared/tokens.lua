-- Tokens: the hash tok:<bucket> has "<caller>\t<token>" -> "<recorded_at>\t<action>\t<digest>\t<outcome>",
-- where the bucket is that of the moment at which it was written, or of recorded_at. A token counts
-- while now - recorded_at < window, so it is in the present bucket or in the one before.
local bucket
local entries, token_args = {}, {} -- what is kept; token and entry by turns, to be written

local function bucket_key(number)
  return prefix .. 'tok:' .. format('%d', number)
end

-- A clock that was set back over the edge of a bucket stays in the later one, or its tokens would be
-- as if they were never used.
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
      entry = before[i] -- an outcome says more than a note that something runs
    end
    entries[keys[i]] = entry or before[i]
  end
end

-- What the token was spent on: REPLAY and its outcome, or why it cannot be used for this; nil if it
-- was not spent. A commit that runs is a note with an end; it has no outcome yet.
local function spent(key, action, digest)
  local entry = entries[key]
  if not entry then
    return nil
  end
  local at, was, recorded, outcome = string.match(entry, '^(%d+)\t([^\t]*)\t([^\t]*)\t(.*)$')
  local runs_until = string.match(outcome, '^RUNNING\t(%d+)$')
  if now - at >= window + 0 or (runs_until and (runs_until + 0 <= now or was == action)) then
    return nil
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

local function keep_token(key, action, digest, outcome)
  keep_entry(key, now_text .. '\t' .. action .. '\t' .. digest .. '\t' .. outcome)
end

-- The outcome goes under its token and into the journal.
local function remember(key, action, digest, outcome)
  keep_token(key, action, digest, outcome)
  note(key, action, digest, window, outcome)
  return outcome
end

-- The sweep unlinks a bucket in time; the long life stands behind it.
local function write_tokens()
  if #token_args > 0 then
    local key = bucket_key(bucket)
    call('HSET', key, unpack(token_args))
    call('PEXPIRE', key, format('%d', 4 * window), 'NX')
  end
end
