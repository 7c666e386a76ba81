--[[
  Writes a piece of a reset into the history: a reset only puts the slots aside, since it takes constant time.

  KEYS[1]  tenant
  KEYS[2]  resetSlots
  KEYS[3]  history

  ARGV[1]  a cursor: '0' at first, then the one that was returned
  ARGV[2]  entries that the history may have before this call. If it has more, nothing is done
  ARGV[3]  '1' to drop what is left instead

  Returns {'OK', the next cursor, number of entries written}. The cursor is '' once nothing is left, and as given if the
  history is full.
]]
--@include codec
--@include limits
local PIECE = 100
local head = redis.call('HGET', resetSlotsKey, '\0')
if not head or ARGV[3] == '1' or limits.history == 0 then
  redis.call('UNLINK', resetSlotsKey)
  return { 'OK', '', 0 }
elseif redis.call('XLEN', historyKey) > tonumber(ARGV[2]) then
  return { 'OK', ARGV[1], 0 }
end
local found = redis.call('HSCAN', resetSlotsKey, ARGV[1], 'COUNT', PIECE)
local cursor, rows, done, past = found[1], found[2], {}, {}
for i = 1, #rows, 2 do
  local slot, packed = rows[i], rows[i + 1]
  if slot ~= '\0' then
    done[#done + 1] = slot
    -- A form of 1 is a slot that reservations hold along (codec.lua).
    if string.byte(packed) ~= 1 then
--@include leanRecord
      past[#past + 1] = 'X'
      past[#past + 1] = slot .. '\n' .. head .. '\n' .. packed
    end
  end
end
for i = 1, #past, 20 do
  redis.call('XADD', historyKey, '*', unpack(past, i, math.min(i + 19, #past)))
end
for from = 1, #done, 1000 do
  redis.call('HDEL', resetSlotsKey, unpack(done, from, math.min(from + 999, #done)))
end
if cursor == '0' and redis.call('HLEN', resetSlotsKey) <= 1 then
  redis.call('UNLINK', resetSlotsKey)
  cursor = ''
end
redis.call('XTRIM', historyKey, 'MAXLEN', '~', limits.history)
return { 'OK', cursor, #past / 2 }
