-- Cancels bookings (docs/specification.md#booking): one that runs is released.
local admission = require('frame/admission')
local bookingEvents = require('events/bookings')
local conditionEvents = require('events/conditions')
local events = require('events/events')
local history = require('history/ended')
local records = require('bookings/records')
local releasing = require('reservations/release')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local cancelling = {}

-- Returns true if the caller is a person who cancels what belongs to another one.
function cancelling.isTaken(requester)
  return tenant.rights ~= nil and not admission.isOwn(requester) and requester ~= admission.ofPerson('email')
end

-- Releases the reservation of a booking that runs. Who has its token is told who took it away.
local function release(id, record)
  local held = slotMap.recordAt(record.slot)
  if not held or held.booking ~= id then
    return
  end
  local actor = admission.actorName(held.owner)
  if cancelling.isTaken(held.owner) then
    tenant.takenAway = tenant.takenAway or {}
    table.insert(tenant.takenAway, held)
    history.howEnded = history.howEnded or {}
    history.howEnded[held.fence] = { 'T', actor }
  end
  releasing.release(held, nil, actor)
  if events.isWanted('UNRESERVED', held.owner) then
    reservationEvents.addReleased(tenant.keyLabel, held.requestedName, held.owner, held.type, actor)
  end
  conditionEvents.emit()
end

-- Cancels a booking. Takes its id and its record.
function cancelling.cancel(id, record)
  work.spend(10)
  if record.state == 'r' then
    -- The event of the release tells of it.
    release(id, record)
  else
    bookingEvents.emit('BOOKING_CANCELLED', 'CANCELLED', id, record, admission.actorName(record.requester))
  end
  records.drop(id)
end

return cancelling
