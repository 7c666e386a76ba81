-- Emits the event for one item's result, if that result has one. The explanation of an event is the bare status.
--@include publish

-- The slots of pools that a reservation got, as JSON; nil if there are none. Takes its details as JSON (describe() in
-- plan.lua), '' if it has none.
local function slotsAsJson(details)
  local slots = details ~= '' and cjson.decode(details).s
  return slots and cjson.encode(slots)
end

-- The fields of an item of a transaction that only ACQUIRED has. Takes what reserve() returned.
local function leaseOf(reply)
  return ',"expiresAt":' .. (reply[4] > 0 and reply[4] or 'null') .. ',"acquiredSlots":' ..
    (slotsAsJson(reply[6]) or 'null') .. ',"fencingToken":' .. reply[3]
end

-- Takes the request's resource, requester and type, and what reserve() returned.
local function emitReserved(resource, requester, type, reply, isNew)
  if isNew then
    emit('RESERVED', {
      requestType = 'RESERVE', resource = resource, requester = requester, explanation = reply[1], resourceType = type,
      apiKeyLabel = keyLabel, fencingToken = reply[3], expiresAt = reply[4], acquiredSlots = slotsAsJson(reply[6]),
    })
  elseif reply[1] ~= 'ALREADY_HAD' and reply[1] ~= 'ACQUIRED' then
    emit('RESERVE_FAILED', {
      requestType = 'RESERVE', resource = resource, requester = requester, explanation = reply[1], resourceType = type,
      apiKeyLabel = keyLabel,
    })
  end
end

-- Takes the record of a reservation that was renewed.
local function emitRenewed(record)
  emit('RENEWED', {
    requestType = 'RENEW', resource = record.asked, requester = record.owner, explanation = 'RENEWED',
    resourceType = record.type, apiKeyLabel = keyLabel, fencingToken = string.format('%d', record.fence),
    expiresAt = record.expiresAt, acquiredSlots = slotsAsJson(record.shown),
  })
end

-- Takes the request's resource and requester, and what unreserve() returned.
local function emitUnreserved(resource, requester, reply, ended)
  if ended then
    emit('UNRESERVED', {
      requestType = 'UNRESERVE', resource = ended.asked, requester = requester, explanation = reply[1],
      resourceType = ended.type, apiKeyLabel = keyLabel,
    })
  elseif reply[1] ~= 'NOT_RESERVED' then
    emit('UNRESERVE_FAILED', {
      requestType = 'UNRESERVE', resource = resource, requester = requester, explanation = 'DOESNT_OWN_RESERVATION',
      apiKeyLabel = keyLabel,
    })
  end
end
