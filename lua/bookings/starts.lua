-- Begins bookings at their starts (docs/specification.md#the-start-and-the-end): each becomes a reservation of its slot
-- by name. If the slot cannot be had, it takes another slot of the pool; or it is delayed, and is tried again, before
-- all tickets, whenever a slot of its resource may have become free.
local bookingEvents = require('events/bookings')
local booked = require('bookings/booked')
local clock = require('frame/clock')
local codec = require('slots/codec')
local conditionEvents = require('events/conditions')
local conditions = require('slots/conditions')
local events = require('events/events')
local fencing = require('reservations/fencing')
local finding = require('bookings/finding')
local history = require('history/ended')
local lists = require('bookings/lists')
local planning = require('reservations/plan')
local pools = require('slots/pools')
local records = require('bookings/records')
local registry = require('definitions/definitions')
local releasing = require('reservations/release')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local work = require('frame/work')
local starts = {}
-- Delayed bookings that one call tries, and the work on them.
local MAX_TRIED, MAX_RETRY_WORK = 50, 1500
-- Free slots that are looked at for one booking.
local MAX_LOOKED = 100
-- The length of the journal when delayed bookings were tried last. touched[resource]: its slots have changed since.
local triedAt, touched

-- Returns the details of a reservation with more extra fields.
local function withExtras(details, fields)
  local parts = details == '' and {} or cjson.decode(details)
  local extras = parts.x or {}
  parts.x = nil
  for name, value in pairs(fields) do
    extras[name] = value
  end
  return codec.withExtras(next(parts) and cjson.encode(parts) or '', extras)
end

-- Notes that a booking has a slot.
local function noteBegun(id, record, slot, isClaimed)
  records.change(id, {
    state = 'r', slot = slot, resets = records.resets(), begun = math.floor(clock.nowMs() / 1000),
    claimed = record.claimWithin and isClaimed or nil,
  })
end

-- Gives a booking the reservation of its slot that its requester has, and extends that. Returns false if it has none
-- that is as good as the booking's own: of a session, or of several slots.
local function extend(id, record)
  local own = slotMap.recordAt(record.slot)
  if not own or own.owner ~= record.requester or not own.token or own.token == codec.UNCLAIMED or own.session or
    own.plan ~= '' then
    return false
  elseif own.booking and own.booking ~= id then
    records.drop(own.booking)
  end
  local endMs = record['end'] * 1000
  local extended = codec.copyWith(own, {
    booking = id, details = withExtras(own.details, { booking = id }), leasedAt = clock.nowMs(),
    expiresAt = own.expiresAt > 0 and math.max(own.expiresAt, endMs) or 0,
  })
  slotMap.setRecord(record.slot, extended)
  noteBegun(id, record, record.slot, true)
  reservationEvents.emitHeld('RENEWED', 'RENEW', 'RENEWED', extended, extended.expiresAt)
  return true
end

-- Reserves a slot for a booking. Returns false if it cannot be had now: somebody holds it, or it is out of service. One
-- that is dirty was promised all the same.
local function take(id, record, slot)
  local resource = record.resource
  if slotMap.recordAt(slot) or conditions.at(resource, slot) == 'out' then
    return false
  end
  local entry, isOfPool = planning.newEntry(resource, slot, record.requester, 'own'), slot ~= resource
  entry.at = slot
  local details = texts.detailsOf({ entry }, resource, false)
  tenant.fence = fencing.after(tenant.fence, clock.nowUs())
  slotMap.setRecord(slot, {
    slot = slot, owner = record.requester, refCount = 1, pool = isOfPool and resource or '', byName = isOfPool,
    reservedAt = clock.nowMs(), expiresAt = record['end'] * 1000, token = record.token, type = record.type,
    label = record.label, requestedName = slot, plan = '', fence = tenant.fence, note = record.note, booking = id,
    details = withExtras(details, { booking = id, note = record.note }),
  })
  noteBegun(id, record, slot, false)
  if events.isWanted('RESERVED', record.requester) then
    local slots = reservationEvents.slotsAsJson(details) or 'null'
    reservationEvents.addMade(
      record.label, slot, record.requester, record.type, string.format('%d', tenant.fence), record['end'] * 1000,
      slots .. ',"booking":"' .. bookingEvents.uuidOf(id) .. '"', record.note
    )
  end
  work.spend(30)
  return true
end

-- Takes the lowest slot of the pool that is free and ready, until the end of a booking. Returns false if there is none.
local function takeOther(id, record, own)
  local resource, nowS, from = record.resource, math.floor(clock.nowMs() / 1000), 0
  for _ = 1, own.capacity > 1 and MAX_LOOKED or 0 do
    local slotNumber = conditions.freeFrom(resource, own.capacity, 'ready', from)
    local slot = slotNumber and pools.slotAt(resource, slotNumber)
    if not slot then
      return false
    elseif not finding.conflictAt(slot, record.requester, nowS, record['end']) and take(id, record, slot) then
      return true
    end
    from = slotNumber + 1
  end
  return false
end

-- Begins a booking whose time is running. Returns false if no slot can be had now.
local function begin(id, record)
  local own = registry.definition(record.resource)
  if not own or own.isGroup then
    return false
  elseif conditions.isSlot(record.resource, record.slot) and (extend(id, record) or take(id, record, record.slot)) then
    return true
  end
  return takeOther(id, record, own)
end

-- Ends a booking that never had a slot.
local function giveUp(id, record)
  bookingEvents.emit('BOOKING_CANCELLED', 'NOT_AVAILABLE', id, record)
  records.drop(id)
end

-- Ends the reservation of a booking that was not claimed in time.
local function endUnclaimed(id, record)
  local held = slotMap.recordAt(record.slot)
  if not held or held.booking ~= id then
    records.drop(id)
    return
  end
  history.howEnded = history.howEnded or {}
  history.howEnded[held.fence] = { 'E' }
  releasing.release(held)
  local event = {
    requestType = 'EXPIRE', resource = held.requestedName, requester = held.owner, explanation = 'NOT_CLAIMED',
    resourceType = held.type, apiKeyLabel = held.label,
  }
  events.emit('RESERVATION_EXPIRED', event)
  event.explanation = 'RELINQUISHED'
  events.emit('UNRESERVED', event)
  conditionEvents.emit()
  records.drop(id)
end

-- Tries a delayed booking. One whose end has come is over.
local function retryOne(id, record)
  local now = clock.nowMs()
  if not record or record.state ~= 'd' or record['end'] * 1000 <= now then
    return
  elseif record.start * 1000 > now then
    -- The clock was set back: until its start, the time may be that of another booking.
    records.change(id, { state = 'b' })
  else
    begin(id, record)
  end
end

-- Tries delayed bookings, from behind a member of `booked` on (nil: all): those of some resources, nil of all. Marks
-- where a later call has to go on, if it must.
local function retryFrom(after, isTouched)
  local ids, found, last = lists.delayed(after, MAX_TRIED, isTouched)
  local limit = work.done + MAX_RETRY_WORK
  records.read(ids)
  for i, id in ipairs(ids) do
    retryOne(id, records.at(id))
    if work.done > limit and ids[i + 1] then
      last = found[i]
      break
    end
  end
  if last then
    records.markRetry(last, true)
  end
end

-- Carries out what is due of a booking: a member of bookingsDue.
function starts.carryOut(member)
  work.spend(5)
  if string.byte(member) == 1 then
    records.removeMoment(member)
    retryFrom(#member > 1 and string.sub(member, 2) or nil)
    return
  end
  local record, now = records.at(member), clock.nowMs()
  if not record then
    records.removeMoment(member)
    records.drop(member)
  elseif record.state == 'r' then
    if record['end'] * 1000 <= now then
      records.drop(member)
    elseif not record.claimed then
      endUnclaimed(member, record)
    end
  elseif record['end'] * 1000 <= now then
    giveUp(member, record)
  elseif not begin(member, record) then
    records.change(member, { state = 'd', tried = math.floor(now / 1000) })
    if record.state == 'b' then
      bookingEvents.emit('BOOKING_DELAYED', 'NOT_AVAILABLE', member, record)
    end
  end
end

-- Returns true if a booking that has not begun leaves time that it had before a change: delayed ones may have that.
-- Takes the records before and now; false or nil: there is none.
local function leavesTime(before, now)
  if not before or before.state == 'r' or before['end'] * 1000 <= clock.nowMs() then
    return false
  end
  return not now or now.slot ~= before.slot or now.start ~= before.start or now['end'] ~= before['end']
end

-- Returns true if a delayed booking may begin since a slot has changed: it is free now, or the requester of its delayed
-- booking holds it.
local function mayLetBegin(slot)
  local record = slotMap.recordAt(slot)
  local first = record and booked.firstOf(slot)
  return not record or first and first.requester == record.owner and first.start * 1000 <= clock.nowMs()
end

-- Adds the resources of which this call has changed slots or bookings since this was called last to those to look at,
-- if delayed bookings of them may begin.
local function touchChanged()
  for i = triedAt + 1, #slotMap.journal, 2 do
    local change, before = slotMap.journal[i], slotMap.journal[i + 1]
    local slot = not change.restore and change or change.slot
    if slot then
      if mayLetBegin(slot) then
        touched[slot] = true
        touched[pools.slotNumber(slot) or slot] = true
      end
    elseif leavesTime(before, change.valueOf(change)) then
      touched[before.resource] = true
    end
  end
end

-- Notes that the definitions of some resources are in force from now on.
function starts.touch(names)
  for _, name in ipairs(names) do
    touched[name] = true
  end
end

-- Tries the delayed bookings of resources of which this call has changed slots or the definition. To be called before
-- anything is granted to tickets.
function starts.retry()
  if not booked.areAny() or triedAt == #slotMap.journal and not next(touched) then
    return
  end
  local areDelayed = lists.areDelayed()
  if areDelayed then
    touchChanged()
  end
  local names = touched
  touched = {}
  if areDelayed and next(names) then
    retryFrom(nil, names)
  end
  triedAt = #slotMap.journal
end

function starts.begin()
  triedAt = 0
  if not touched or next(touched) then
    touched = {}
  end
end

return starts
