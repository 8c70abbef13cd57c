if meta[1] ~= 'SEEDING' or meta[2] ~= ARGV[1] or meta[3] ~= ARGV[2] then
  return {'SUPERSEDED'}
end
