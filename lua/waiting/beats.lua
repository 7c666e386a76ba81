-- The beats of instances, one field of the tenant's hash. An instance beats in a tenant while it holds calls for it.
local clock = require('frame/clock')
local tenant = require('frame/tenant')
local beats = {}

-- Time after which an instance that does not beat is taken for dead, in ms.
beats.BEAT_LAPSES_MS = 6000

-- Notes that an instance is alive. Returns true if it was known before.
function beats.noteBeat(instance)
  -- An instance beats every 2 s, and calls far more often.
  local MIN_APART_MS = 500
  local last = beats.beats[instance]
  if not last or clock.nowMs() < last or clock.nowMs() >= last + MIN_APART_MS then
    beats.beats[instance], beats.areBeatsChanged = clock.nowMs(), true
  end
  return last ~= nil
end

-- Returns the beats as text, without instances that have been silent for a minute.
function beats.beatsText()
  local parts = {}
  for instance, ms in pairs(beats.beats) do
    if ms > clock.nowMs() - 60000 then
      parts[#parts + 1] = instance .. ' ' .. string.format('%.0f', ms)
    end
  end
  return table.concat(parts, '\n')
end

function beats.open()
  -- beats[instance]: ms of its last beat in this tenant. An instance beats while it holds calls here.
  beats.beats, beats.areBeatsChanged = {}, false
  for instance, ms in string.gmatch(tenant.beats, '(%w+) (%d+)') do
    beats.beats[instance] = tonumber(ms)
  end
end

return beats
