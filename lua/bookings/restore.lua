-- Brings a booking to the state that the database has of it (docs/specification.md#where-bookings-live), if that is
-- newer than the one in Redis, which has lost data.
local booked = require('bookings/booked')
local bookingEvents = require('events/bookings')
local cancelling = require('bookings/cancel')
local clock = require('frame/clock')
local copies = require('bookings/copies')
local finding = require('bookings/finding')
local records = require('bookings/records')
local registry = require('definitions/definitions')
local restoring = {}

-- Returns the slot for a booking, its own if no other booking has that meanwhile; nil if none is free.
local function slotOf(record)
  if not booked.overlapping(record.slot, record.start, record['end']) then
    return record.slot
  end
  local own = registry.definition(record.resource)
  return own and not record.named and own.capacity > 1 and
    finding.slotFor(record.resource, own, nil, record.requester, record.start, record['end']) or nil
end

-- Puts a booking back that has not begun, or whose time is running: it begins by its due moment. Takes its id, its
-- record as Redis had it, what Redis has of it (false: nothing), and the list for copies.write().
local function putBack(id, record, there, list)
  if there then
    records.put(id, false)
  end
  record.state, record.resets, record.begun = 'b', nil, nil
  local slot = slotOf(record)
  if slot then
    record.slot = slot
    records.put(id, record)
    return
  end
  bookingEvents.emit('BOOKING_CANCELLED', 'NOT_AVAILABLE', id, record)
  if not there then
    copies.add(list, id, math.max(record.rev + 1, clock.nowMs()))
  end
end

-- Brings a booking to the state of a copy. Takes its id; the revision that Redis knows of it, nil none; and the copy:
-- its revision and its record, nil: it is over. Adds to a list for copies.write() what the database has to be told.
function restoring.restore(id, known, revision, record, list)
  local there = records.at(id)
  if math.max(known or 0, there and there.rev or 0) >= revision then
    return
  elseif not record then
    if there then
      cancelling.cancel(id, there)
    end
  elseif there and there.state == 'r' then
    -- What it has lost of one that runs is at most that it was claimed.
    if record.claimed and not there.claimed then
      records.change(id, { claimed = true })
    end
  elseif record['end'] * 1000 > clock.nowMs() then
    putBack(id, record, there, list)
  end
end

return restoring
