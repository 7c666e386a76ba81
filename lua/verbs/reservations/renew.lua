--[[
  Renews reservations: each gets a new lease that starts now, but for those of sessions. Handles all items of one
  request, in order.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is {'RENEWED', expiry in ms}, {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'}
  or {'INVALID_RELEASE_TOKEN'}, with what tellTaken() in reservations/unreserve.lua adds, as a text
  (reservations/texts.lua). A shared call ends with what shares.tell() adds. Or a refusal (frame/admission.lua).
]]
local admission = require('frame/admission')
local charged = require('frame/charged')
local clock = require('frame/clock')
local codec = require('slots/codec')
local flags = require('frame/flags')
local itemForms = require('frame/items')
local ownership = require('reservations/owners')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local terms = require('reservations/terms')
local unreserving = require('reservations/unreserve')

-- A retry was charged at the first try. It renews again, and its event has the later expiry.
local function cost(items)
  return flags.isRepeated and 0 or #items
end

local function fault(items)
  for i, item in ipairs(items) do
    local why = terms.tooLong(item.ttlMs)
    if why then
      return { 'REFUSED', string.format('[%d].ttlSeconds %s', i - 1, why) }
    end
  end
end

-- Returns true if the caller may renew a reservation without its token. What nobody has claimed has no lease yet.
local function mayRenew(reservation)
  return reservation.token ~= codec.UNCLAIMED and admission.mayForce(reservation.owner)
end

local function carryOutItem(item)
  local reservation, isHeld = ownership.reservationOf(item.resource, item.requester)
  if not reservation then
    return { isHeld and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
  elseif reservation.token ~= item.token and not mayRenew(reservation) then
    return { 'INVALID_RELEASE_TOKEN' }
  end
  local expiresAt = reservation.session and ownership.endOf(reservation) or clock.nowMs() + item.ttlMs
  local renewed = codec.copyWith(reservation, { expiresAt = expiresAt })
  if not reservation.session then
    slotMap.setRecord(reservation.slot, renewed)
  end
  reservationEvents.emitRenewed(renewed)
  reservationEvents.spendOnEvent(item, renewed.details)
  return { 'RENEWED', expiresAt }
end

local function complete(request)
  unreserving.tellTaken(request.items, request.reply, 3)
end

return charged({
  right = 'reserve', requestType = 'RESERVE',
  firstItem = 4, readItem = itemForms.renewItem, firstResult = 3, indexArg = 3,
  cost = cost, fault = fault, carryOutItem = carryOutItem, complete = complete,
})
