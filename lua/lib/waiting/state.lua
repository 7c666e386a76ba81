-- The state of the queue as a whole, one field of the tenant's hash:
--   items        number of items of all tickets that wait; they count towards the cap on reservations
--   tickets      number of tickets that wait
--   granted      number of tickets that were granted and not claimed yet
--   last         number of the last ticket. Tickets are numbered by Redis's time in microseconds, always rising
--   nextDue      ms: nothing of the tickets is due before this
--   isUnsettled  true if some lines still have to be looked at (settle.lua)
--   replanned    the ticket up to which the queue was brought up to date after a change of definitions; nil if it is
--                up to date
--@include clock
--@include tenant
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

local state = { items = 0, tickets = 0, granted = 0, last = 0, nextDue = math.huge, isUnsettled = false }
if tenant.queue then
  local items, count, granted, last, nextDue, unsettled, replanned =
    string.match(tenant.queue, '^(%d+) (%d+) (%d+) (%d+) (%S+) (%d) (%S+)$')
  state.items, state.tickets, state.granted = tonumber(items), tonumber(count), tonumber(granted)
  state.last, state.nextDue, state.isUnsettled = tonumber(last), tonumber(nextDue), unsettled == '1'
  if replanned ~= '-' then
    state.replanned = fromHex(string.sub(replanned, 2))
  end
end

-- Returns the state as text; nil if there is no ticket.
local function stateText()
  if state.tickets == 0 and state.granted == 0 then
    return nil
  end
  return string.format(
    '%d %d %d %.0f %s %d %s', state.items, state.tickets, state.granted, state.last,
    state.nextDue == math.huge and 'inf' or string.format('%.0f', state.nextDue), state.isUnsettled and 1 or 0,
    state.replanned and '.' .. toHex(state.replanned) or '-'
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
