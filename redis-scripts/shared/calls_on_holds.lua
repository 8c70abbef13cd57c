-- Reads the data of calls that begin with caller, token, digest and the fence of a hold.
read_meta({})
-- include: shared/open
local keys, fences, outcomes = {}, {}, {}
for at = FIRST, #ARGV, TEXTS do
  keys[#keys + 1] = ARGV[at] .. '\t' .. ARGV[at + 1]
  fences[#fences + 1] = ARGV[at + 3]
end
read_tokens(keys)
read_holds(fences)
