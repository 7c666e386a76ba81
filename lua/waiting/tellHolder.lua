-- Tells the holder of a resource that somebody waits for it: the event WANTED, once for each reservation
-- (docs/specification.md#event-types).
local codec = require('slots/codec')
local events = require('events/events')
local lines = require('waiting/lines')
local ownership = require('reservations/owners')
local queues = require('waiting/queues')
local registry = require('definitions/definitions')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')

-- Returns the reservation of what a queue is for, if that is one slot which is held EXCLUSIVE, maybe with others of its
-- pool, and its holder was not told yet; nil if not.
local function reservationToTell(queue)
  if queues.isOfMatch(queue) then
    return nil
  end
  local name = lines.lineOf(queue)
  local own = registry.definition(name)
  local record = (not own or own.capacity == 1) and slotMap.recordAt(name)
  local reservation = record and ownership.reservationAt(name, record.owner)
  return reservation and not reservation.isTold and reservation or nil
end

-- Takes a ticket that waits for something new.
return function(ticket)
  local reservation = events.hasReaders and reservationToTell(ticket.waitsFor)
  if reservation and events.isWanted('WANTED', reservation.owner) then
    local waiting = queues.countWaiting((lines.lineOf(ticket.waitsFor)))
    slotMap.setRecord(reservation.slot, codec.copyWith(reservation, { isTold = true }))
    reservationEvents.emitHeld('WANTED', 'WAIT', 'WAITING', reservation, ownership.endOf(reservation), waiting)
  end
end
