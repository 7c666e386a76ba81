--[[
  Writes a piece of a reset into the history: a reset only puts the slots aside, since it takes constant time.

  ARGV[1]  a cursor: '0' at first, then the one that was returned
  ARGV[2]  entries that the history may have before this call. If it has more, nothing is done
  ARGV[3]  '1' to drop what is left instead

  Returns {'OK', the next cursor, number of entries written}. The cursor is '' once nothing is left, and as given if the
  history is full.
]]
local codec = require('slots/codec')
local tenant = require('frame/tenant')

return function(keys, args)
  local PIECE = 100
  local head = redis.call('HGET', keys.resetSlots, '\0')
  if not head or args[3] == '1' or tenant.limits.history == 0 then
    redis.call('UNLINK', keys.resetSlots)
    return { 'OK', '', 0 }
  elseif redis.call('XLEN', keys.history) > tonumber(args[2]) then
    return { 'OK', args[1], 0 }
  end
  local found = redis.call('HSCAN', keys.resetSlots, args[1], 'COUNT', PIECE)
  local cursor, rows, done, past = found[1], found[2], {}, {}
  for i = 1, #rows, 2 do
    local slot, packed = rows[i], rows[i + 1]
    if slot ~= '\0' then
      done[#done + 1] = slot
      -- A form of 1 is a slot that reservations hold along (slots/codec.lua).
      if string.byte(packed) ~= 1 then
        past[#past + 1] = 'X'
        past[#past + 1] = slot .. '\n' .. head .. '\n' .. codec.leanRecord(slot, packed)
      end
    end
  end
  for i = 1, #past, 20 do
    redis.call('XADD', keys.history, '*', unpack(past, i, math.min(i + 19, #past)))
  end
  for from = 1, #done, 1000 do
    redis.call('HDEL', keys.resetSlots, unpack(done, from, math.min(from + 999, #done)))
  end
  if cursor == '0' and redis.call('HLEN', keys.resetSlots) <= 1 then
    redis.call('UNLINK', keys.resetSlots)
    cursor = ''
  end
  redis.call('XTRIM', keys.history, 'MAXLEN', '~', tenant.limits.history)
  return { 'OK', cursor, #past / 2 }
end
