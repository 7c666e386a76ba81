-- Emits the events of conditions (docs/specification.md#events): one for each change, after that of the request or the
-- end of a reservation that made it.
local booked = require('bookings/booked')
local conditions = require('slots/conditions')
local events = require('events/events')
local isoTime = require('frame/isoTime')
local tenant = require('frame/tenant')
local work = require('frame/work')
local conditionEvents = {}
local NONE = {}
-- Bookings of a slot that its event has, and slots of a call whose bookings are looked for: a large pool can go out of
-- service however much of it is booked.
local MAX_BOOKED, MAX_SLOTS = 5, 100
-- The number of changes whose events were emitted.
local emitted

-- Returns the next bookings of a slot that goes out of service, or comes back.
local function bookingsOf(change)
  local isOut = change.condition == 'out' or change.before == 'out'
  return isOut and booked.isBookable(change.resource) and booked.firstFew(change.slot, MAX_BOOKED) or NONE
end

-- Returns the field of the event that has these bookings; '' if there are none.
local function bookedText(entries)
  local texts = {}
  for i, entry in ipairs(entries) do
    texts[i] = '{"requester":' .. events.quote(entry.requester) .. ',"start":"' .. isoTime.of(entry.start * 1000) ..
      '","end":"' .. isoTime.of(entry['end'] * 1000) .. '"}'
  end
  return texts[1] and ',"booked":[' .. table.concat(texts, ',') .. ']' or ''
end

-- Emits the events of the changes since the last call.
function conditionEvents.emit()
  local changed = conditions.changed
  for i = math.min(emitted, #changed) + 1, #changed do
    local change = changed[i]
    local entries = i <= MAX_SLOTS and events.wantsAny('CONDITION') and bookingsOf(change) or NONE
    local person = events.personAmong(entries)
    if events.isWanted('CONDITION', person) then
      work.spend(3)
      events.add('{"type":"CONDITION","requestType":"CONDITION","explanation":"' .. change.condition ..
        '","resourceType":null,"apiKeyLabel":' .. (tenant.keyLabel == '' and 'null' or events.quote(tenant.keyLabel)) ..
        ',"actor":' .. (change.actor and events.quote(change.actor) or 'null') ..
        ',"resource":' .. events.quote(change.slot) .. ',"requester":null,"reason":' ..
        (change.reason and events.quote(change.reason) or 'null') .. bookedText(entries) .. '}', 'CONDITION', person)
    end
  end
  emitted = #changed
end

function conditionEvents.begin()
  emitted = 0
end

return conditionEvents
