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
local tenant = require('frame/tenant')
local restoring = {}

-- Notes that the database has to be told that a booking is over.
local function noteOver(id, record, list)
  copies.add(list, id, math.max(record.rev + 1, clock.nowMs()))
end

-- Returns when a booking got its slot, in ms.
local function placedAt(record)
  return math.max(record.bookedAt, (record.begun or 0) * 1000)
end

-- Returns the slot for a booking that a Redis without any data gets back; nil if it is over. Redis gives a slot to one
-- at a time, so of two that have one the earlier was over, and Redis was lost before that was copied.
local function slotAmongCopies(record, list)
  local other = booked.overlapping(record.slot, record.start, record['end'])
  while other do
    local rival = records.at(other.id)
    if placedAt(rival) >= placedAt(record) then
      return nil
    end
    records.put(other.id, false)
    noteOver(other.id, rival, list)
    other = booked.overlapping(record.slot, record.start, record['end'])
  end
  return record.slot
end

-- Returns the slot for a booking that only the database has: its own, unless another booking got that after Redis had
-- lost data; then another one of the pool, nil if none is free.
local function slotAfterLoss(record)
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
  record.state, record.resets = 'b', nil
  local slot
  if tenant.tier then
    slot = slotAfterLoss(record)
  else
    slot = slotAmongCopies(record, list)
  end
  if slot then
    record.slot = slot
    records.put(id, record)
    return
  elseif tenant.tier then
    bookingEvents.emit('BOOKING_CANCELLED', 'NOT_AVAILABLE', id, record)
  end
  noteOver(id, record, list)
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
