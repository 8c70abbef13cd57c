local ENDED_MS = '86400000' -- how long an ended hold stays, should the drainer never come for it

-- Frees what the hold holds; the caller writes version and held.
local function free(hold)
  for item in string.gmatch(hold[14], '[^\n]+') do
    local key = prefix .. 'item:' .. item
    if redis.call('GET', key) == hold[2] then
      redis.call('DEL', key)
    end
    held = held - 1
  end
  version = version + 1
  redis.call('ZREM', prefix .. 'due', hold[2])
  local who = 'who:' .. hold[4] .. '\t' .. hold[5]
  if redis.call('HINCRBY', KEYS[1], who, -1) <= 0 then
    redis.call('HDEL', KEYS[1], who)
  end
end

-- Its record stays, ended, until the drainer has been there.
local function keep_ended(hold, state, reason)
  hold[1], hold[10], hold[11] = state, now_text, reason
  local record = table.concat(hold, '\t')
  redis.call('SET', prefix .. 'hold:' .. hold[2], record, 'PX', ENDED_MS)
  return record
end

local function finish(hold, state, reason)
  free(hold)
  return keep_ended(hold, state, reason)
end

-- An end that no call asked for.
local function note_expired(journal, record)
  redis.call('XADD', journal, '*', 'line',
    meta[3] .. '\t' .. now_text .. '\t\t\t\t\t\tEXPIRED\t' .. record)
end
