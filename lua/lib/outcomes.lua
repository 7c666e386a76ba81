-- Emits the event for one item's result, if that result has one. The explanation of an event is the bare status.
--@include publish

-- Takes the request's resource, requester and type, and what reserve() returned.
local function tellReserved(resource, requester, type, reply, isNew)
  if isNew then
    tell('RESERVED', 'RESERVE', resource, requester, reply[1], type, tenant.keyLabel)
  elseif reply[1] ~= 'ALREADY_HAD' and reply[1] ~= 'ACQUIRED' then
    tell('RESERVE_FAILED', 'RESERVE', resource, requester, reply[1], type, tenant.keyLabel)
  end
end

-- Takes the request's resource and requester, and what unreserve() returned.
local function tellUnreserved(resource, requester, reply, ended)
  if ended then
    tell('UNRESERVED', 'UNRESERVE', ended.requestedName, requester, reply[1], ended.type, tenant.keyLabel)
  elseif reply[1] ~= 'NOT_RESERVED' then
    tell('UNRESERVE_FAILED', 'UNRESERVE', resource, requester, 'DOESNT_OWN_RESERVATION', nil, tenant.keyLabel)
  end
end
