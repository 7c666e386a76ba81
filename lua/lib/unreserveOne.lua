-- Releases one item of a request.
--@include history
--@include isOwn
--@include mayForce
--@include release
--@include reservations
--@include takeAway

-- Releases the reservation of an item (items/unreserve.lua). Returns a reply, one of
--   {'RELINQUISHED', slot, ...}   the slots that became free, the reservation's own first; then '' if it was taken away
--   {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'}
--   {'INVALID_RELEASE_TOKEN'}     the requester has the reservation, but the token does not match
-- and the reservation if this call ended it.
local function unreserveOne(item)
  local reservation, isHeld = reservationOf(item.resource, item.requester)
  if not reservation then
    return { isHeld and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
  elseif reservation.token ~= item.token then
    if not mayForce(reservation.owner) then
      return { 'INVALID_RELEASE_TOKEN' }
    end
  end
  -- Nobody else has the token of what a person reserved on the dashboard.
  local isTaken = reservation.token ~= item.token and not isOwn(reservation.owner)
  if isTaken then
    spend(4)
    tenant.takenAway = tenant.takenAway or {}
    table.insert(tenant.takenAway, reservation)
    if reservation.owner ~= ofPerson('email') then
      howEnded = howEnded or {}
      howEnded[reservation.fence] = { 'T', actorName(reservation.owner) }
    end
  end
  local before = #freed
  release(reservation)
  local reply = { 'RELINQUISHED', unpack(freed, before + 1) }
  if isTaken then
    reply[#reply + 1] = ''
  end
  return reply, reservation
end
