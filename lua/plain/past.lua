-- Writes the history of reservations that their holders released. lua/lib/history.lua describes an entry.
local tenant = require('plain/tenant')
local past = {}

-- The most reservations of one entry of the stream.
local PER_ENTRY = 10

-- Takes the key of the stream, the slots and reservations that ended, and the time in ms.
function past.write(key, slots, reservations, nowMs)
  local when = '\n' .. nowMs .. ' \n'
  for from = 1, #slots, PER_ENTRY do
    local fields = {}
    for i = from, math.min(from + PER_ENTRY - 1, #slots) do
      local value = slots[i] .. when .. reservations[i].packed
      fields[#fields + 1], fields[#fields + 2] = 'R', value
      tenant.notePast(#value)
    end
    redis.call('XADD', key, '*', unpack(fields))
  end
  local isTrimming, most = tenant.isTrimming()
  if isTrimming then
    redis.call('XTRIM', key, 'MAXLEN', '~', most)
  end
end
return past
