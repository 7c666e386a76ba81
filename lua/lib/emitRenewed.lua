-- Emits the event for a renewed reservation.
--@include acquiredSlots
--@include emit
local function emitRenewed(reservation)
  if tenant.listenUntil == 0 then
    return
  end
  emit('RENEWED', {
    requestType = 'RENEW', resource = reservation.requestedName, requester = reservation.owner, explanation = 'RENEWED',
    resourceType = reservation.type, apiKeyLabel = tenant.keyLabel, fencingToken = string.format('%d', reservation.fence),
    expiresAt = reservation.expiresAt, acquiredSlots = slotsAsJson(reservation.details),
  })
end
