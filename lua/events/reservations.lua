-- Emits the events of reservations (docs/specification.md#events), as far as they are wanted.
local admission = require('frame/admission')
local events = require('events/events')
local tenant = require('frame/tenant')
local work = require('frame/work')
local reservationEvents = {}
local hasSpecial, escape, format = events.hasSpecial, events.escape, string.format

-- Returns the slots of pools that a reservation got, as JSON; nil if there are none. If it got several slots of one
-- pool, a field `slots` follows; if it is SHARED, a field `mode`. Takes its details as JSON
-- (reservations/texts.lua), '' if it has none.
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

-- Returns parts of an event as JSON: the resource type and the label with their quotes, and what stands between the
-- quotes of the name and the requester. Takes the label and the type as records have them, '' none.
local function partsOf(label, name, requester, type)
  if hasSpecial(label .. name .. requester .. type) then
    label, name, requester, type = escape(label), escape(name), escape(requester), escape(type)
  end
  return type == '' and '"UserDefined"' or '"' .. type .. '"', label == '' and 'null' or '"' .. label .. '"', name,
    requester
end

-- The lines of these events are made by one concatenation each: they are the most frequent ones.

-- Adds the event of a reservation that was made. Takes the fencing token as digits, when it ends in ms, 0 never; its
-- slots (slotsAsJson()), and its note, nil none.
function reservationEvents.addMade(label, name, requester, type, fence, expiresAt, slots, note)
  local ofType, by, nameText, requesterText = partsOf(label, name, requester, type)
  events.add(
    '{"type":"RESERVED","expiresAt":' .. (expiresAt > 0 and format('%d', expiresAt) or 'null') ..
      ',"requestType":"RESERVE","explanation":"ACQUIRED","resourceType":' .. ofType .. ',"apiKeyLabel":' .. by ..
      ',"acquiredSlots":' .. (slots or 'null') .. ',"fencingToken":' .. fence ..
      (note and ',"note":' .. events.quote(note) or '') .. ',"resource":"' .. nameText .. '","requester":"' ..
      requesterText .. '"}', 'RESERVED', requester
  )
end

-- Adds the event of an item that could not be reserved. The explanation is the status without details.
function reservationEvents.addFailed(label, name, requester, type, status)
  local ofType, by, nameText, requesterText = partsOf(label, name, requester, type)
  events.add(
    '{"type":"RESERVE_FAILED","requestType":"RESERVE","explanation":"' .. status .. '","resourceType":' .. ofType ..
      ',"apiKeyLabel":' .. by .. ',"resource":"' .. nameText .. '","requester":"' .. requesterText .. '"}',
    'RESERVE_FAILED', requester
  )
end

-- Adds the event of a release, with who made it (admission.lua), nil the service itself.
function reservationEvents.addReleased(label, name, requester, type, actor)
  local ofType, by, nameText, requesterText = partsOf(label, name, requester, type)
  events.add(
    '{"type":"UNRESERVED","requestType":"UNRESERVE","explanation":"RELINQUISHED","resourceType":' .. ofType ..
      ',"apiKeyLabel":' .. by .. ',"actor":' .. (actor and events.quote(actor) or 'null') .. ',"resource":"' ..
      nameText .. '","requester":"' .. requesterText .. '"}', 'UNRESERVED', requester
  )
end

-- Adds an event of a ticket for one item: WAITING or WAIT_ENDED, with its explanation.
function reservationEvents.addWait(eventType, explanation, label, name, requester, type)
  local ofType, by, nameText, requesterText = partsOf(label, name, requester, type)
  events.add(
    '{"type":"' .. eventType .. '","requestType":"WAIT","explanation":"' .. explanation .. '","resourceType":' ..
      ofType .. ',"apiKeyLabel":' .. by .. ',"resource":"' .. nameText .. '","requester":"' .. requesterText ..
      '","method":null,"changes":null}', eventType, requester
  )
end

-- Emits the event for one reserve item, if its result has one. Takes the item, its reply, and the reservation that the
-- call made, nil for none (reservations/match.lua).
function reservationEvents.emitReserved(item, reply, reservation)
  local status = reply[1]
  if not reservation and (status == 'ALREADY_HAD' or status == 'ACQUIRED') or
    not events.isWanted(reservation and 'RESERVED' or 'RESERVE_FAILED', item.requester)
  then
    return
  elseif reservation then
    reservationEvents.addMade(
      tenant.keyLabel, reservation.requestedName, item.requester, item.type, reply[3], reply[4],
      reservationEvents.slotsAsJson(reply[6]), reservation.note
    )
  else
    reservationEvents.addFailed(tenant.keyLabel, item.resource, item.requester, item.type, status)
  end
end

-- Emits the event for a renewed reservation.
function reservationEvents.emitRenewed(reservation)
  if not events.hasReaders then
    return
  end
  events.emit('RENEWED', {
    requestType = 'RENEW', resource = reservation.requestedName, requester = reservation.owner, explanation = 'RENEWED',
    resourceType = reservation.type, apiKeyLabel = tenant.keyLabel,
    fencingToken = format('%d', reservation.fence), expiresAt = reservation.expiresAt,
    acquiredSlots = reservationEvents.slotsAsJson(reservation.details),
  })
end

-- Emits an event about a reservation in force. Takes the type, requestType and explanation, nil none; the reservation,
-- when it ends in ms, 0 never; and of WANTED how many tickets wait.
function reservationEvents.emitHeld(type, requestType, explanation, reservation, expiresAt, waiting)
  events.emit(type, {
    requestType = requestType, explanation = explanation, resource = reservation.requestedName,
    requester = reservation.owner, resourceType = reservation.type, apiKeyLabel = reservation.label,
    fencingToken = format('%d', reservation.fence), expiresAt = expiresAt,
    acquiredSlots = reservationEvents.slotsAsJson(reservation.details), note = reservation.note, waiting = waiting,
  })
end

-- Emits the event for one unreserve item, if its result has one. Takes the item, its reply, and the reservation that
-- the call ended, nil for none (reservations/release.lua).
function reservationEvents.emitUnreserved(item, reply, ended)
  if not events.hasReaders or not ended and reply[1] == 'NOT_RESERVED' then
    return
  elseif ended and not events.isWanted('UNRESERVED', item.requester) then
    return
  elseif ended then
    reservationEvents.addReleased(
      tenant.keyLabel, ended.requestedName, item.requester, ended.type, admission.actorName(ended.owner)
    )
  else
    events.emit('UNRESERVE_FAILED', {
      requestType = 'UNRESERVE', resource = item.resource, requester = item.requester,
      explanation = 'DOESNT_OWN_RESERVATION', apiKeyLabel = tenant.keyLabel,
    })
  end
end

-- Spends the work of an item's event, if anybody may read it. Takes the item, and the details of its reservation (nil
-- none).
function reservationEvents.spendOnEvent(item, details)
  if events.hasReaders and events.isRead() then
    work.spend(2 + (#item.resource + #item.requester) / 35 + #(details or '') / 100)
  end
end

return reservationEvents
