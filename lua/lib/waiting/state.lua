-- Writes the state of the queue (queue.lua), and the beats of instances.
--@include clock
--@include queue
local function toHex(bytes)
  return (string.gsub(bytes, '.', function(char)
    return string.format('%02x', string.byte(char))
  end))
end

local function fromHex(text)
  return (string.gsub(text, '%x%x', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- Returns the state as text; nil if there is no ticket.
local function stateText()
  if state.tickets == 0 and state.granted == 0 then
    return nil
  end
  return string.format(
    '%d %d %d %.0f %s %d %s', state.items, state.tickets, state.granted, state.last,
    state.nextDue == math.huge and 'inf' or string.format('%.0f', state.nextDue), state.isUnsettled and 1 or 0,
    state.replanned and '.' .. state.replanned or '-'
  )
end

-- Time after which an instance that does not beat is taken for dead, in ms.
local BEAT_LAPSES_MS = 6000
-- beats[instance]: ms of its last beat in this tenant. An instance beats while it holds calls here.
local beats, areBeatsChanged = {}, false
for instance, ms in string.gmatch(tenant.beats, '(%w+) (%d+)') do
  beats[instance] = tonumber(ms)
end

-- Notes that an instance is alive. Returns true if it was known before.
local function noteBeat(instance)
  local isKnown = beats[instance] ~= nil
  beats[instance], areBeatsChanged = nowMs, true
  return isKnown
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
