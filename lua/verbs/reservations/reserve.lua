--[[
  Reserves resources. Handles all items of one request, in order; each succeeds or fails on its own.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  if an item may wait: the instance that holds the call, and for how long it may do so: '<instance> <ms>'; else
           ''
  ARGV[5]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of reserveOne() in reservations/match.lua, or of answer() in
  waiting/answer.lua if it may wait, as a text (reservations/texts.lua). A shared call ends with what shares.tell()
  adds. Or {'INDEX', ms, swept}: the caller must first put the tenant into the expiry index at or before that time,
  then call again. Or a refusal (frame/admission.lua).
]]
local charged = require('frame/charged')
local flags = require('frame/flags')
local itemForms = require('frame/items')
local matching = require('reservations/match')
local reservationEvents = require('events/reservations')
local tenant = require('frame/tenant')
local waits = require('frame/waits')

local function prepare(request)
  waits.prepareEach(request.items, request.args[4])
end

-- A retry was charged at the first try.
local function cost(items)
  local isFree = flags.isRepeated or flags.isContinued or flags.isDry
  return isFree and 0 or waits.countSlots(items)
end

local function carryOutItem(item, request)
  local result, made
  if item.waiting then
    item.outcome = tenant.queue.ask(item.waiting)
    if item.outcome.tooLarge and not request.refused then
      request.refused = { 'REFUSED', '[' .. #request.reply - 2 .. '] ' .. item.outcome.tooLarge }
    end
    result, made = tenant.queue.firstReply(item.outcome)
  else
    result, made = matching.reserveOne(item)
  end
  if made and tenant.listenUntil > 0 then
    item.made = made
  end
  if result.isUnfinished then
    request.isUnfinished = true
  end
  reservationEvents.spendOnEvent(item, result[6])
  return result
end

-- The events of failures are not emitted again for a retry.
local function emitAll(items, reply)
  for i, item in ipairs(items) do
    if item.made or not flags.isRepeated and reply[i + 2][1] then
      reservationEvents.emitReserved(item, reply[i + 2], item.made)
    end
  end
end

local function complete(request)
  local items, reply = request.items, request.reply
  if tenant.listenUntil > 0 then
    emitAll(items, reply)
  end
  if tenant.queue then
    tenant.queue.runPostponed()
    for i, item in ipairs(items) do
      if item.outcome then
        reply[i + 2] = tenant.queue.answer(item.outcome, item.waiting)[1]
      end
    end
  end
end

return charged({
  right = 'reserve', requestType = 'RESERVE',
  firstItem = 5, readItem = itemForms.reserveItem, firstResult = 3, indexArg = 3, callArg = 4,
  prepare = prepare, cost = cost, fault = waits.whyEndless, carryOutItem = carryOutItem, complete = complete,
})
