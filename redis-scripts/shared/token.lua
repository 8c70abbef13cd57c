-- `entry` is what the token was spent on, if it was; `action` and `digest`, what it is sent for now.
if entry then
  local asked = action .. '\t' .. digest .. '\t'
  if string.sub(entry, 1, #asked) == asked then
    return {'REPLAY', string.sub(entry, #asked + 1)}
  end
  local recorded, digest_function = string.match(entry, '^([^\t]*)\t([^:]*):')
  if recorded == action and digest_function ~= string.match(digest, '^[^:]*') then
    return {'DRIFT', digest_function}
  end
  return {'COLLISION'}
end
