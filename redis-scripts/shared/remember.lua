-- The outcome goes under its token, which is not spent yet, and into the journal, once.
local function remember(word, rest)
  local said = word .. '\t' .. rest
  redis.call('SET', KEYS[2], action .. '\t' .. ARGV[4] .. '\t' .. said, 'PX', ARGV[5])
  redis.call('XADD', KEYS[3], '*', 'line', meta[3] .. '\t' .. now_text .. '\t' .. action .. '\t'
    .. ARGV[2] .. '\t' .. ARGV[3] .. '\t' .. ARGV[4] .. '\t' .. ARGV[5] .. '\t' .. said)
end
