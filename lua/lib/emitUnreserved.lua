-- Emits the event for one unreserve item, if its result has one. The event's explanation is the status without details.
--@include actorName
--@include emit

-- Takes the item, its reply, and the reservation that the call ended, nil for none (unreserveOne.lua).
local function emitUnreserved(item, reply, ended)
  if tenant.listenUntil == 0 then
    return
  elseif ended then
    emit('UNRESERVED', {
      requestType = 'UNRESERVE', resource = ended.requestedName, requester = item.requester, explanation = reply[1],
      resourceType = ended.type, apiKeyLabel = tenant.keyLabel, actor = actorName(ended.owner),
    })
  elseif reply[1] ~= 'NOT_RESERVED' then
    emit('UNRESERVE_FAILED', {
      requestType = 'UNRESERVE', resource = item.resource, requester = item.requester, explanation = 'DOESNT_OWN_RESERVATION',
      apiKeyLabel = tenant.keyLabel,
    })
  end
end
