-- Writes the history of reservations that their holders released. lua/history/ended.lua describes an entry.
local tenant = require('plain/tenant')
local past = {}
local format = string.format

-- The most reservations of one entry of the stream.
local PER_ENTRY = 10

-- Takes the key of the stream, the slots that ended and their packed records, and the time in us and ms. Writes nothing
-- if the tenant keeps no history.
function past.write(key, slots, records, nowUs, nowMs)
  local kept = tenant.keptPast()
  if kept == 0 then
    return
  end
  local when = format('\n%d \n', nowMs)
  if not slots[2] then
    local value = slots[1] .. when .. records[1]
    tenant.notePast(#value)
    redis.call('XADD', key, '*', 'R', value)
  else
    for from = 1, #slots, PER_ENTRY do
      local fields, n = {}, 0
      for i = from, math.min(from + PER_ENTRY - 1, #slots) do
        local value = slots[i] .. when .. records[i]
        fields[n + 1], fields[n + 2], n = 'R', value, n + 2
        tenant.notePast(#value)
      end
      redis.call('XADD', key, '*', unpack(fields))
    end
  end
  -- Now and then it drops what is too old.
  if nowUs % 16 == 0 then
    redis.call('XTRIM', key, 'MAXLEN', '~', kept)
  end
end
return past
