-- Claims of grants of bookable resources (docs/specification.md#leases-end-in-time). A request may claim a grant with
-- another lease than its ticket had. Then it is judged like a renewal.
local codec = require('slots/codec')
local fits = require('bookings/fits')
local isoTime = require('frame/isoTime')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local claiming = {}

-- Returns when the first booking begins of the slots of a reservation that counts for a term (bookings/fits.lua), in
-- ms; infinite if there is none.
local function startOf(reservation, term)
  local first = shared.isShare(reservation.slot) and math.huge or fits.startOf(reservation.slot, term)
  for slot in string.gmatch(reservation.plan, '[^\n]+') do
    first = math.min(first, fits.startOf(slot, term))
  end
  return first
end

-- Returns to when the lease of a grant is cut that is claimed, in ms; infinite if it is not.
function claiming.limitOf(reservation)
  if not reservation.lease then
    return math.huge
  end
  return startOf(reservation, { requester = not shared.isShare(reservation.slot) and reservation.owner or nil })
end

-- Returns how a request is refused that would claim the grant of its ticket with leases for which bookings leave no
-- time, as ask() of waiting/ask.lua does; nil if it is not. The grant stays.
function claiming.refusal(ticket, request)
  local place = 0
  for slot in string.gmatch(ticket.slots, '([^\n]*)\n') do
    place = place + 1
    local reservation, item = slot ~= '' and slotMap.recordAt(slot), request.items[place]
    local isGrant = reservation and reservation.token == codec.UNCLAIMED and reservation.lease
    local term = isGrant and fits.termOf({
      requester = request.requester, ttlMs = item.ttlMs, options = item.options, session = item.session, token = '',
    })
    local first = term and startOf(reservation, term)
    if term and first < term.leastEndsAt then
      local explanation = 'NOT_AVAILABLE: booked from ' .. isoTime.of(first)
      return { reply = { 'NOT_AVAILABLE', explanation, bookedFrom = first }, place = place - 1 }
    end
  end
end

return claiming
