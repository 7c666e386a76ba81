-- Emits the events of conditions (docs/specification.md#events): one for each change, after that of the request or the
-- end of a reservation that made it.
local conditions = require('slots/conditions')
local events = require('events/events')
local tenant = require('frame/tenant')
local work = require('frame/work')
local conditionEvents = {}
-- The number of changes whose events were emitted.
local emitted

-- Emits the events of the changes since the last call.
function conditionEvents.emit()
  local changed = conditions.changed
  for i = math.min(emitted, #changed) + 1, #changed do
    local change = changed[i]
    if events.isWanted('CONDITION') then
      work.spend(3)
      events.add('{"type":"CONDITION","requestType":"CONDITION","explanation":"' .. change.condition ..
        '","resourceType":null,"apiKeyLabel":' .. (tenant.keyLabel == '' and 'null' or events.quote(tenant.keyLabel)) ..
        ',"actor":' .. (change.actor and events.quote(change.actor) or 'null') ..
        ',"resource":' .. events.quote(change.slot) .. ',"requester":null,"reason":' ..
        (change.reason and events.quote(change.reason) or 'null') .. '}', 'CONDITION')
    end
  end
  emitted = #changed
end

function conditionEvents.begin()
  emitted = 0
end

return conditionEvents
