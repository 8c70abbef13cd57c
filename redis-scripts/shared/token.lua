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
