-- Leases of reservations whose slots can be booked (docs/specification.md#leases-end-in-time): bookings limit renewals,
-- and callers are told of leases that are shorter than they asked for.
local booked = require('bookings/booked')
local clock = require('frame/clock')
local ownership = require('reservations/owners')
local records = require('bookings/records')
local shared = require('slots/shared')
local work = require('frame/work')
local leases = {}

-- Returns true if the slots of a reservation can be booked.
local function isOfBookable(reservation)
  local resource = ownership.heldBy(reservation)
  return resource and booked.isBookable(resource)
end

-- Returns when the first booking begins of the slots of a reservation, of another than its requester, in ms; infinite
-- if there is none. What is held SHARED cannot be lent to a booking of a requester that holds it.
local function bookedFrom(reservation)
  local isShare = shared.isShare(reservation.slot)
  local requester = not isShare and reservation.owner or nil
  local first = isShare and math.huge or booked.startOf(reservation.slot, requester)
  for slot in string.gmatch(reservation.plan, '[^\n]+') do
    first = math.min(first, booked.startOf(slot, requester))
  end
  work.spend(#reservation.plan / 100)
  return first
end

-- Returns when a reservation that has no session ends if it is renewed for some time. Takes that in ms, and how much of
-- it would do. If that does not fit, returns nil, and when the first booking begins, in ms. The lease that it has is
-- never cut, nor that of a running booking before its end.
function leases.renewedEnd(reservation, ttlMs, minTtlMs)
  local now = clock.nowMs()
  local asked = now + ttlMs
  if not isOfBookable(reservation) then
    return asked
  end
  local bookingEnd = reservation.booking and records.endOf(reservation.booking)
  if bookingEnd and asked < bookingEnd then
    return reservation.expiresAt
  end
  local first, has = bookedFrom(reservation), reservation.expiresAt > 0 and reservation.expiresAt or math.huge
  local most = math.max(first, has)
  if asked <= most then
    return asked
  elseif now + minTtlMs <= most then
    return most
  end
  return nil, first
end

-- Returns a lease in whole s, as text, if it ends sooner than it was asked for, else nil. Callers count it from their
-- own clock. Takes when it ends, in ms, 0 never, and the ms that were asked for, nil no end.
function leases.cutTtl(endsAt, ttlMs)
  local left = endsAt - clock.nowMs()
  return ttlMs and endsAt > 0 and left < ttlMs and string.format('%d', math.max(0, left / 1000)) or nil
end

-- Adds to the reply that tells a requester of its reservation the lease that this has, if slots of the resource can be
-- booked, and it ends sooner than the item asks for: cutTtl() as the eighth field.
function leases.tellCut(reply, reservation, item)
  local isLease = not reservation.session and not item.session
  local cut = isLease and leases.cutTtl(reply[4], item.ttlMs)
  if cut and isOfBookable(reservation) then
    reply[7], reply[8] = reply[7] or '', cut
  end
  return reply
end

return leases
