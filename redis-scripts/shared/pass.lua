-- The pass of a call: empty in a pool without a waiting room, "<number of the ticket> <until>" with a
-- time in seconds if its signature is right, or '-'.
local function is_admitted(pass)
  local number, until_s = string.match(pass, '^(%d+) (%d+)$')
  return pass == '' or (number and until_s * 1000 > now
    and not call('ZSCORE', prefix .. 'revoked', number))
end

-- The requester has a hold now and does not choose any more.
local function use_pass(pass)
  if pass ~= '' then
    call('ZREM', prefix .. 'choosing', string.match(pass, '^%d+'))
  end
end
