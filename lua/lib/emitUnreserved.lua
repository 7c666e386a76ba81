-- Emits the event of an item to release, if its result has one. The explanation of an event is the bare status.
--@include emit

-- Takes the item, its reply and the reservation if the call ended it (unreserveOne.lua).
local function emitUnreserved(item, reply, ended)
  if ended then
    emit('UNRESERVED', {
      requestType = 'UNRESERVE', resource = ended.requestedName, requester = item.requester, explanation = reply[1],
      resourceType = ended.type, apiKeyLabel = tenant.keyLabel,
    })
  elseif reply[1] ~= 'NOT_RESERVED' then
    emit('UNRESERVE_FAILED', {
      requestType = 'UNRESERVE', resource = item.resource, requester = item.requester, explanation = 'DOESNT_OWN_RESERVATION',
      apiKeyLabel = tenant.keyLabel,
    })
  end
end
