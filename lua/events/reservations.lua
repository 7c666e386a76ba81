-- Emits the events of reservations (docs/specification.md#events), as far as a stream is open.
local admission = require('frame/admission')
local events = require('events/events')
local tenant = require('frame/tenant')
local work = require('frame/work')
local reservationEvents = {}

-- Returns the slots of pools that a reservation got, as JSON; nil if there are none. If it got several slots of one
-- pool, a further field `slots` follows; if it is SHARED, a field `mode`. Takes its details as JSON
-- (reservations/describe.lua), '' if it has none.
function reservationEvents.slotsAsJson(details)
  local described = details ~= '' and cjson.decode(details)
  local slots = described and described.s and cjson.encode(described.s)
  if described and described.m then
    return (slots or 'null') .. ',"mode":"' .. described.m .. '"'
  end
  return slots and described.o and slots .. ',"slots":' .. cjson.encode(described.o) or slots
end

-- Returns the fields that only ACQUIRED items have in `changes` of a transaction's event, as JSON after a comma. Takes
-- the item's reply (reservations/match.lua), and the reservation's note, nil none.
function reservationEvents.leaseAsJson(reply, note)
  return ',"expiresAt":' .. (reply[4] > 0 and reply[4] or 'null') .. ',"acquiredSlots":' ..
    (reservationEvents.slotsAsJson(reply[6]) or 'null') .. ',"fencingToken":' .. reply[3] ..
    (note and ',"note":' .. events.quote(note) or '')
end

-- Emits the event for one reserve item, if its result has one. The event's explanation is the status without details.
-- Takes the item, its reply, and the reservation that the call made, nil for none (reservations/match.lua).
function reservationEvents.emitReserved(item, reply, reservation)
  if reservation then
    events.emit('RESERVED', {
      requestType = 'RESERVE', resource = reservation.requestedName, requester = item.requester, explanation = reply[1],
      resourceType = item.type, apiKeyLabel = tenant.keyLabel, fencingToken = reply[3], expiresAt = reply[4],
      acquiredSlots = reservationEvents.slotsAsJson(reply[6]), note = reservation.note,
    })
  elseif reply[1] ~= 'ALREADY_HAD' and reply[1] ~= 'ACQUIRED' then
    events.emit('RESERVE_FAILED', {
      requestType = 'RESERVE', resource = item.resource, requester = item.requester, explanation = reply[1],
      resourceType = item.type, apiKeyLabel = tenant.keyLabel,
    })
  end
end

-- Emits the event for a renewed reservation.
function reservationEvents.emitRenewed(reservation)
  if tenant.listenUntil == 0 then
    return
  end
  events.emit('RENEWED', {
    requestType = 'RENEW', resource = reservation.requestedName, requester = reservation.owner, explanation = 'RENEWED',
    resourceType = reservation.type, apiKeyLabel = tenant.keyLabel,
    fencingToken = string.format('%d', reservation.fence), expiresAt = reservation.expiresAt,
    acquiredSlots = reservationEvents.slotsAsJson(reservation.details),
  })
end

-- Emits the event for one unreserve item, if its result has one. The event's explanation is the status without details.
-- Takes the item, its reply, and the reservation that the call ended, nil for none (reservations/unreserve.lua).
function reservationEvents.emitUnreserved(item, reply, ended)
  if tenant.listenUntil == 0 then
    return
  elseif ended then
    events.emit('UNRESERVED', {
      requestType = 'UNRESERVE', resource = ended.requestedName, requester = item.requester, explanation = reply[1],
      resourceType = ended.type, apiKeyLabel = tenant.keyLabel, actor = admission.actorName(ended.owner),
    })
  elseif reply[1] ~= 'NOT_RESERVED' then
    events.emit('UNRESERVE_FAILED', {
      requestType = 'UNRESERVE', resource = item.resource, requester = item.requester,
      explanation = 'DOESNT_OWN_RESERVATION', apiKeyLabel = tenant.keyLabel,
    })
  end
end

-- Spends the work of an item's event, if a stream is open. Takes the item, and the details of its reservation (nil
-- none).
function reservationEvents.spendOnEvent(item, details)
  if events.isListening() then
    work.spend(2 + (#item.resource + #item.requester) / 35 + #(details or '') / 100)
  end
end

return reservationEvents
