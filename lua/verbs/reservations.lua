-- Verbs that make, release and renew reservations.
local admission = require('frame/admission')
local answers = require('frame/answers')
local charged = require('frame/charged')
local clock = require('frame/clock')
local codec = require('slots/codec')
local conditionEvents = require('events/conditions')
local events = require('events/events')
local flags = require('frame/call').flags
local itemForms = require('frame/items')
local leases = require('bookings/leases')
local matching = require('reservations/match')
local ownership = require('reservations/owners')
local quota = require('limits/quota')
local releasing = require('reservations/release')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local verbs = {}

--[[ reserve (ARGV[1] credential, ARGV[2] flags)
  Reserves resources. Handles all items of one request, in order; each succeeds or fails on its own.

  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of reserveOne() in reservations/match.lua, or of answer() in
  waiting/answer.lua if it may wait, as a text (reservations/texts.lua). A batch ends with what batch.tell()
  adds.
]]
local function prepare(request)
  itemForms.prepareEach(request.items)
end

local function reserveItem(item, request)
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
  if made and events.hasReaders then
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

local function completeReserve(request)
  local items, reply = request.items, request.reply
  if events.hasReaders then
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

verbs.reserve = charged.verb({
  right = 'reserve', requestType = 'RESERVE',
  firstItem = 3, readItem = itemForms.reserveItem, firstResult = 3, makesDue = true, canWait = true,
  prepare = prepare, cost = itemForms.countSlots, fault = itemForms.whyEndless, carryOutItem = reserveItem,
  complete = completeReserve,
})

--[[ unreserve (ARGV[1] credential, ARGV[2] flags)
  Releases reservations. Handles all items of one request, in order; each succeeds or fails on its own.

  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of unreserveOne() in reservations/release.lua, with what
  tellTaken() in reservations/release.lua adds, as a text (reservations/texts.lua). A batch ends with what
  batch.tell() adds; one that names calls, with what was handed over to them: texts that begin with a queue for the
  ticket, and go on as an item of reserve.
]]
local function unreserveItem(item)
  local result, ended = releasing.unreserveOne(item)
  reservationEvents.emitUnreserved(item, result, ended)
  conditionEvents.emit()
  reservationEvents.spendOnEvent(item)
  return result
end

local function tellTaken(request)
  releasing.tellTaken(request.items, request.reply, 3)
end

local function completeUnreserve(request)
  tellTaken(request)
  if flags.calls and tenant.queueText then
    tenant.openForChanges()
    if tenant.queue then
      tenant.queue.handOver.offer(flags.calls)
    end
  end
end

local function writtenUnreserve(request)
  releasing.keepTaken()
  if flags.calls and tenant.queue then
    tenant.queue.handOver.tell(request.reply)
  end
end

verbs.unreserve = charged.verb({
  right = 'reserve', requestType = 'UNRESERVE', isRemembered = true,
  firstItem = 3, readItem = itemForms.unreserveItem, firstResult = 3,
  carryOutItem = unreserveItem, complete = completeUnreserve, written = writtenUnreserve,
})

--[[ renew (ARGV[1] credential, ARGV[2] flags)
  Renews reservations: each gets a new lease that starts now, but for those of sessions. Handles all items of one
  request, in order.

  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is {'RENEWED', expiry in ms, and if it is cut, the lease in whole s},
  {'NOT_AVAILABLE', expiry in ms, which stays, and when the booking begins that is in the way, in ms}, both with the id
  of the booking that the reservation is the running time of; {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'} or
  {'INVALID_RELEASE_TOKEN'}, with what tellTaken() in reservations/release.lua adds, as a text (reservations/texts.lua).
  A batch ends with what batch.tell() adds.
]]
local function whyTooLong(items)
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

-- Returns the reply that a reservation has a lease until a time in ms.
local function renewedReply(reservation, expiresAt, item)
  local cut = not reservation.session and leases.cutTtl(expiresAt, item.ttlMs) or nil
  return { 'RENEWED', expiresAt, cut or reservation.booking and '', reservation.booking }
end

-- A retry renews again, and its event has the later expiry.
local function renewItem(item)
  local reservation, isHeld = ownership.reservationOf(item.resource, item.requester)
  if not reservation then
    return { isHeld and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
  elseif reservation.token ~= item.token and not mayRenew(reservation) then
    return { 'INVALID_RELEASE_TOKEN' }
  end
  local expiresAt, bookedFrom = ownership.endOf(reservation), nil
  if not reservation.session then
    expiresAt, bookedFrom = leases.renewedEnd(reservation, item.ttlMs, item.minTtlMs)
  end
  if bookedFrom then
    return { 'NOT_AVAILABLE', reservation.expiresAt, bookedFrom, reservation.booking }
  elseif reservation.booking and expiresAt == reservation.expiresAt then
    return renewedReply(reservation, expiresAt, item)
  end
  local renewed = codec.copyWith(reservation, { expiresAt = expiresAt, leasedAt = clock.nowMs() })
  if not reservation.session then
    slotMap.setRecord(reservation.slot, renewed)
  end
  reservationEvents.emitRenewed(renewed)
  reservationEvents.spendOnEvent(item, renewed.details)
  return renewedReply(reservation, expiresAt, item)
end

verbs.renew = charged.verb({
  right = 'reserve', requestType = 'RESERVE',
  firstItem = 3, readItem = itemForms.renewItem, firstResult = 3, makesDue = true,
  fault = whyTooLong, carryOutItem = renewItem, complete = tellTaken,
})

--[[ keep (ARGV[1] credential, ARGV[2] flags)
  Keeps the reply to a request with an Idempotency-Key that waited, if no script of its own could: its waits ended by
  what others did, or its items one after the other.

  ARGV[3]  the first part of the reply, as the script of the request returns it after the quota

  Returns {'OK', quota}. With a refusal, nothing is kept.
]]
function verbs.keep(_, args)
  local refused = admission.admit('reserve', {}) or answers.before() or quota.charge(nil, 0)
  if refused then
    return refused
  end
  local reply = { 'OK', quota.text() }
  for i = 3, #args do
    reply[i] = args[i]
  end
  answers.keep(reply)
  return { 'OK', quota.text() }
end

return verbs
