if run_id ~= ARGV[1] then
  return {'UNSEEDED\t' .. (run_id and 'MOVED' or 'LOST')}
end
if not window then -- written by scripts that knew other keys
  return {'UNSEEDED\tMOVED'}
end
if state ~= 'OPEN' then
  return {'UNSEEDED\tSEEDING'}
end
