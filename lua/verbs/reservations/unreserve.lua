--[[
  Releases reservations. Handles all items of one request, in order; each succeeds or fails on its own.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of unreserveOne() in reservations/unreserve.lua, with what
  tellTaken() in reservations/unreserve.lua adds, as a text (reservations/texts.lua). A shared call ends with what
  shares.tell() adds. Or a refusal (frame/admission.lua).
]]
local charged = require('frame/charged')
local flags = require('frame/flags')
local itemForms = require('frame/items')
local reservationEvents = require('events/reservations')
local unreserving = require('reservations/unreserve')

local function cost(items)
  return flags.isDry and 0 or #items
end

local function carryOutItem(item)
  local result, ended = unreserving.unreserveOne(item)
  reservationEvents.emitUnreserved(item, result, ended)
  reservationEvents.spendOnEvent(item)
  return result
end

local function complete(request)
  unreserving.tellTaken(request.items, request.reply, 3)
end

return charged({
  right = 'reserve', requestType = 'UNRESERVE', isRemembered = true,
  firstItem = 3, readItem = itemForms.unreserveItem, firstResult = 3,
  cost = cost, carryOutItem = carryOutItem, complete = complete, written = unreserving.keepTaken,
})
