-- The instances that hold calls for a ticket. It is usually one; if a requester sends the same request several times at
-- once, there may be more. ticket.instance lists them, separated by spaces, latest call first. wake() informs them all.
local clock = require('frame/clock')
local tenant = require('frame/tenant')
local callers = {}

-- Calls visit(instance) for each instance of a text of words.
function callers.eachInstance(instances, visit)
  for instance in string.gmatch(instances, '%w+') do
    visit(instance)
  end
end

-- The beats of instances, one field of the tenant's hash. An instance beats in a tenant while it holds calls for it.
-- Time after which an instance that does not beat is taken for dead, in ms.
callers.BEAT_LAPSES_MS = 6000

-- Notes that an instance is alive. Returns true if it was known before.
function callers.noteBeat(instance)
  -- An instance beats every 2 s, and calls far more often.
  local MIN_APART_MS = 500
  local last = callers.beats[instance]
  if not last or clock.nowMs() < last or clock.nowMs() >= last + MIN_APART_MS then
    callers.beats[instance], callers.areBeatsChanged = clock.nowMs(), true
  end
  return last ~= nil
end

-- Returns the beats as text, without instances that have been silent for a minute.
function callers.beatsText()
  local parts = {}
  for instance, ms in pairs(callers.beats) do
    if ms > clock.nowMs() - 60000 then
      parts[#parts + 1] = instance .. ' ' .. string.format('%.0f', ms)
    end
  end
  return table.concat(parts, '\n')
end

-- The other instances that hold calls for a ticket.

-- Returns the instances without one of them. Those that called long ago are dropped.
function callers.withoutInstance(instances, instance)
  local MAX_OTHERS = 2
  local others = {}
  callers.eachInstance(instances, function(other)
    if other ~= instance and #others < MAX_OTHERS then
      others[#others + 1] = other
    end
  end)
  return table.concat(others, ' ')
end

function callers.open()
  -- beats[instance]: ms of its last beat in this tenant. An instance beats while it holds calls here.
  callers.beats, callers.areBeatsChanged = {}, false
  for instance, ms in string.gmatch(tenant.beats, '(%w+) (%d+)') do
    callers.beats[instance] = tonumber(ms)
  end
end

return callers
