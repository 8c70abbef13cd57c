if state ~= 'SEEDING' or run_id ~= ARGV[1] or epoch ~= ARGV[2] then
  return {'SUPERSEDED'}
end
