--[[
  Releases reservations. Handles all items of one request, in order; each succeeds or fails on its own.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  sessions
  KEYS[11]  sessionHolds
  KEYS[12]  sessionsDue
  KEYS[13]  index
  KEYS[14]  history
  KEYS[15]  answer
  KEYS[16]  answers
  KEYS[17]  taken
  KEYS[18]  takenAt

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of unreserveOne() in reservations/unreserve.lua, with what
  tellTaken() in reservations/unreserve.lua adds, as a text (reservations/texts.lua). A shared call ends with what
  shares.tell() adds. Or, with nothing changed: {'REFUSED', message}, the reply of refuse() in limits/quota.lua,
  {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'} or {'AGAIN'}. Or {'UNKNOWN'} if an earlier try ran and its reply was not
  kept. Or a reply of before() in frame/idempotency.lua.
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
