-- `entry` is what the token was spent on, if it was.
if entry then
  local asked = action .. '\t' .. ARGV[4] .. '\t'
  if string.sub(entry, 1, #asked) == asked then
    return {'REPLAY', string.sub(entry, #asked + 1)}
  end
  local recorded, digest_function = string.match(entry, '^([^\t]*)\t([^:]*):')
  if recorded == action and digest_function ~= string.match(ARGV[4], '^[^:]*') then
    return {'DRIFT', digest_function}
  end
  return {'COLLISION'}
end

-- The outcome goes under its token, perhaps in short, and into the journal, once.
local function remember(word, rest, short)
  redis.call('SET', KEYS[2], action .. '\t' .. ARGV[4] .. '\t' .. word .. '\t' .. (short or rest),
    'PX', ARGV[5], 'NX')
  redis.call('XADD', KEYS[3], '*', 'line', meta[3] .. '\t' .. now_text .. '\t' .. action .. '\t'
    .. ARGV[2] .. '\t' .. ARGV[3] .. '\t' .. ARGV[4] .. '\t' .. ARGV[5] .. '\t'
    .. word .. '\t' .. rest)
end
