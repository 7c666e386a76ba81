-- Emits the event for one reserve item, if its result has one. The event's explanation is the status without details.
--@include acquiredSlots
--@include emit

-- Takes the item, its reply, and the reservation that the call made, nil for none (reserveOne.lua).
local function emitReserved(item, reply, reservation)
  if reservation then
    emit('RESERVED', {
      requestType = 'RESERVE', resource = reservation.requestedName, requester = item.requester, explanation = reply[1],
      resourceType = item.type, apiKeyLabel = tenant.keyLabel, fencingToken = reply[3], expiresAt = reply[4],
      acquiredSlots = slotsAsJson(reply[6]), note = reservation.note,
    })
  elseif reply[1] ~= 'ALREADY_HAD' and reply[1] ~= 'ACQUIRED' then
    emit('RESERVE_FAILED', {
      requestType = 'RESERVE', resource = item.resource, requester = item.requester, explanation = reply[1], resourceType = item.type,
      apiKeyLabel = tenant.keyLabel,
    })
  end
end
