-- The beats of instances, one field of the tenant's hash. An instance beats in a tenant while it holds calls for it.
--@include clock
--@include tenant
-- Time after which an instance that does not beat is taken for dead, in ms.
local BEAT_LAPSES_MS = 6000
-- beats[instance]: ms of its last beat in this tenant. An instance beats while it holds calls here.
local beats, areBeatsChanged = {}, false
for instance, ms in string.gmatch(tenant.beats, '(%w+) (%d+)') do
  beats[instance] = tonumber(ms)
end

-- Notes that an instance is alive. Returns true if it was known before.
local function noteBeat(instance)
  -- An instance beats every 2 s, and calls far more often.
  local MIN_APART_MS = 500
  local last = beats[instance]
  if not last or nowMs < last or nowMs >= last + MIN_APART_MS then
    beats[instance], areBeatsChanged = nowMs, true
  end
  return last ~= nil
end

-- Returns the beats as text, without instances that have been silent for a minute.
local function beatsText()
  local parts = {}
  for instance, ms in pairs(beats) do
    if ms > nowMs - 60000 then
      parts[#parts + 1] = instance .. ' ' .. string.format('%.0f', ms)
    end
  end
  return table.concat(parts, '\n')
end
