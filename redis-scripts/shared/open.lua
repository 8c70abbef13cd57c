if meta[2] ~= ARGV[1] then
  return {'UNSEEDED', meta[2] and 'MOVED' or 'LOST'}
end
if meta[1] ~= 'OPEN' then
  return {'UNSEEDED', 'SEEDING'}
end
