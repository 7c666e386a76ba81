-- Releases one item of a request.
--@include release
--@include reservations

-- A session may release any reservation of its tenant without a token.
local mayForce = string.sub(ARGV[1], 1, 8) == 'session:'

-- Releases the reservation of an item (items/unreserve.lua). Returns a reply, one of
--   {'RELINQUISHED', slot, ...}   the slots that became free, the reservation's own first
--   {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'}
--   {'INVALID_RELEASE_TOKEN'}     the requester has the reservation, but the token does not match
-- and the reservation if this call ended it.
local function unreserveOne(item)
  local reservation, isHeld = reservationOf(item.resource, item.requester)
  if not reservation then
    return { isHeld and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
  elseif reservation.token ~= item.token and not mayForce then
    return { 'INVALID_RELEASE_TOKEN' }
  end
  local before = #freed
  release(reservation)
  return { 'RELINQUISHED', unpack(freed, before + 1) }, reservation
end
