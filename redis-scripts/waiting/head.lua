-- head: the first tickets of the queue, and the counts that limit admissions.
--
-- KEYS[1]    meta       {p:<pool>}:meta      hash: held, sold, blocked, item:stock
-- KEYS[2]    journal    {p:<pool>}:journal
-- ARGV[1]    run_id     of the server at the other end of this connection
-- ARGV[2]    count      of tickets
--
-- Returns    {'HEAD\t<epoch>\t<version>\t<held>\t<sold>\t<capacity>\t<waiting>\t<inside>\t<choosing>
--            \t<lines>\t<now>', record…} in the order of their places. Lines counts those of the journal.
--            The capacity is that of a pool of a quantity, or nothing. Inside are admitted requesters who have not bought; those without a hold choose
--            | {'UNSEEDED\t<why>'}
-- Writes     nothing
-- Replay     HEAD, with the current tickets and the current time
-- Cost       O(count + log waiting)

-- include: shared/batch
-- include: shared/tickets

read_meta({'item:stock', 'blocked'})
-- include: shared/open
local head = {''}
sold = sold + (meta['blocked'] or 0) -- what is out of sale is not free either
local count = tonumber(ARGV[2])
local numbers = count > 0 and call('ZRANGE', QUEUE, 0, count - 1) or {}
for _, record in ipairs(#numbers > 0 and call('HMGET', TICKETS, unpack(numbers)) or {}) do
  head[#head + 1] = record or nil
end
local after = '(' .. now_text
head[1] = 'HEAD\t' .. epoch .. '\t' .. format('%d\t%d\t%d', version, held, sold) .. '\t'
  .. (string.match(meta['item:stock'] or '', '/(%d+)$') or '') .. '\t'
  .. format('%d\t%d\t%d\t%d', call('ZCARD', QUEUE), call('ZCOUNT', INSIDE, after, '+inf'),
    call('ZCOUNT', CHOOSING, after, '+inf'), line_no) .. '\t' .. now_text
return head
