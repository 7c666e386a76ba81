-- Reserves what one item of a request names (docs/specification.md#reserve): finds out what the name means, takes the
-- slots of its plan, and makes the reservation. reservations/match.lua calls it for each item.
local booked = require('bookings/booked')
local clock = require('frame/clock')
local codec = require('slots/codec')
local fencing = require('reservations/fencing')
local fits = require('bookings/fits')
local heldAttributes = require('reservations/heldAttributes')
local itemForms = require('frame/items')
local leases = require('bookings/leases')
local lines = require('waiting/lines')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local planning = require('reservations/plan')
local pools = require('slots/pools')
local records = require('bookings/records')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local taking = require('reservations/take')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local texts = require('reservations/texts')
local work = require('frame/work')
local reserving = {}

-- Explains why a name is not valid.
local function whyNotValid(name)
  work.spend(2)
  local pool = pools.slotNumber(name)
  local whole = pool and registry.definition(pool)
  if whole and whole.capacity > 1 then
    return string.format(
      'NOT_VALID: %s has %d slots, %s_0 to %s_%d', pool, whole.capacity, pool, pool, whole.capacity - 1
    )
  end
  local last = naming.lastSegment(name)
  if last and registry.definition(last) then
    work.spend(#naming.pathOf(last) / 100)
    return 'NOT_VALID: ' .. last .. ' is registered as ' .. naming.pathOf(last)
  end
  return 'NOT_VALID: ' .. name .. ' is not registered, and this tenant allows only registered resources'
end

-- Returns the name of the queue (waiting/queues.lua) in which an item would wait for an entry that was not met; nil if
-- it never will be met.
local function queueOf(entry)
  if not entry.invalid then
    local isSlot = entry.slot and (entry.bookedFrom or not lines.isOpen(entry.slot, entry.condition))
    return lines.queueFor(isSlot and entry.slot or entry.resource, entry.condition)
  end
end

-- Returns the reply to an item, an entry of whose plan was not met, and the name of the queue.
local function replyOfUnmet(entry)
  local status, explanation = taking.whyNotTaken(entry)
  local own, at = registry.definition(entry.resource), entry.slot or entry.resource
  -- One slot is in the way, unless any of a pool would do.
  local isOne = not entry.closing and not entry.invalid and not entry.bookedFrom and
    (entry.slot or not own or own.capacity == 1)
  return {
    status, explanation, held = at, holder = isOne and slotMap.records[at] or nil,
    claims = tenant.queue and tenant.queue.countClaims() or 0, role = entry.closing and 'closing' or entry.role,
    bookedFrom = entry.bookedFrom,
  }, queueOf(entry)
end

-- Takes the slots of a plan's entries on paper, unless some of them are kept for waiting requests. Collects the
-- entries in `collected`, if given: the caller then checks all of them together. Returns nil; or the reply that
-- refuses the item and the name of the queue, with nothing taken.
local function takeUnkept(entries, reservation, collected)
  local mark = #slotMap.journal
  if tenant.queue or collected then
    for _, entry in ipairs(entries) do
      entry.requester = reservation.owner
      lines.assign(entry, reservation.condition)
    end
  end
  local unmet = taking.take(entries, reservation)
  if unmet then
    return replyOfUnmet(unmet)
  elseif collected then
    for _, entry in ipairs(entries) do
      collected[#collected + 1] = entry
    end
    return nil
  end
  local refused = tenant.queue and tenant.queue.refusedOf(entries, mark)
  if refused then
    slotMap.undo(mark)
    return tenant.queue.keptReply(), refused.queue
  end
end

-- Returns the reply to an item whose requester holds the resource already.
function reserving.replyOfHad(had, item)
  if not shared.isEnough(had, item) then
    return { 'ALREADY_HELD', 'ALREADY_HELD: you hold it SHARED; release it first' }
  end
  work.spend(#had.details / 200)
  -- Nobody knows yet of what a ticket gets.
  if had.booking and item.token ~= codec.UNCLAIMED then
    records.claim(had.booking)
  end
  if had.token == codec.UNCLAIMED and item.token ~= codec.UNCLAIMED then
    if tenant.openQueue() then
      return heldAttributes.tell(tenant.queue.claim(had, item), had)
    end
    -- Redis has lost the queue.
    had = codec.copyWith(had, { token = item.token })
    slotMap.setRecord(had.slot, had)
  end
  -- The same token means a retry of the call that acquired the reservation: the first reply was lost.
  local isRetry = had.token == item.token
  local status = isRetry and 'ACQUIRED' or 'ALREADY_HAD'
  local waited = isRetry and had.waited and string.format('%d', had.waited) or nil
  local reply = { status, status, string.format('%d', had.fence), ownership.endOf(had), had.token, had.details, waited }
  return heldAttributes.tell(leases.tellCut(reply, had, item), had)
end

-- Returns true if a registered resource needs no other slots, and nobody waits.
local function isAlone(own)
  return planning.isAlone(own) and not tenant.queueText and not tenant.queue
end

-- Takes the slot of a resource that isAlone(). The result is that of takeUnkept().
local function takeAlone(reservation, item, resource, slot)
  local entry = planning.newEntry(resource, slot, reservation.owner, 'own', nil, nil, reservation.condition)
  entry.term = registry.definition(resource).isBookable and fits.termOf(item) or nil
  if taking.takeOne(entry, reservation) then
    return replyOfUnmet(entry)
  end
  reservation.details = texts.detailsOf({ entry }, resource, false)
  work.spend(5 + #reservation.details / 100)
end

-- Takes the slots of a reservation's plan, and describes them in the reservation. `collected` and the result are
-- those of takeUnkept().
local function takePlan(reservation, item, resource, slot, count, isShared, collected)
  local plan = planning.planOf(
    resource, slot, reservation.owner, count > 1 and count or nil, isShared, reservation.condition
  )
  if tenant.queueText and not tenant.queue then
    for _, entry in ipairs(plan.entries) do
      tenant.openFor(entry.resource)
    end
  end
  if planning.isTooLong(plan) then
    return { 'NOT_VALID', string.format(
      'NOT_VALID: it would take more than %d slots, or more than %d bytes of names', planning.MAX_ENTRIES,
      planning.MAX_PLAN_BYTES
    ) }
  end
  if booked.isBookable(resource) then
    -- It needs no other slots: all that is above it are groups.
    plan.entries[1].term = fits.termOf(item)
  end
  local reply, queue = takeUnkept(plan.entries, reservation, collected)
  if not reply then
    reservation.details = texts.detailsOf(plan.entries, resource, isShared)
    work.spend(#reservation.details / 100)
  end
  return reply, queue
end

-- Gives a reservation that was made its extra fields (slots/codec.lua).
local function addExtras(reservation, options, session, waited)
  reservation.waited = waited
  reservation.note = options.note
  reservation.match = options.matched and { options.matched, reservation.requestedName }
  reservation.details = codec.withExtras(reservation.details, {
    note = reservation.note, session = reservation.session, match = reservation.match,
    condition = reservation.condition, waited = waited, lease = reservation.lease,
  })
  work.spend(#reservation.details / 100)
  if session then
    session.holds = session.holds + 1
  end
end

-- Takes a plain name for a SHARED reservation, and stores that.
local function takeSharedName(name, reservation)
  taking.takeShared(name, '', false, reservation)
  reservation.plan, reservation.details = name .. '\n', texts.SHARED
  slotMap.setRecord(reservation.slot, reservation)
end

-- Explains why what a name means cannot be reserved in the mode of an item; nil if it can.
local function whyMeaningless(item, resource, slot)
  if not resource then
    return whyNotValid(item.resource)
  end
  return itemForms.isSharedItem(item) and shared.whyNotSharable(resource, slot) or nil
end

-- Explains why an item whose requester does not hold the resource may never reserve it; nil if it may.
local function whyNever(item, resource, slot, count)
  local isRegistered = registry.definition(resource)
  return item.session and tenant.sessions.whyFull(item.session) or
    (isRegistered or count > 1) and shared.whyNever(resource, slot, count) or terms.whyNotAllowed(item) or
    not isRegistered and itemForms.conditionOf(item) and
    'NOT_VALID: ' .. resource .. ' is not registered: it has no condition' or nil
end

-- Returns the reply to an item that its requester holds already, and the queue as reserveNamed().
local function answerHad(had, item, resource, slot, count)
  local reply, condition = reserving.replyOfHad(had, item), itemForms.conditionOf(item)
  local mayWait = not shared.isEnough(had, item) and not shared.whyNever(resource, slot, count) and
    not (condition and not registry.definition(resource))
  return reply, nil, mayWait and lines.queueFor(slot or resource, condition) or nil
end

-- Returns the reservation of an item that asks for a resource, before it has slots.
local function newReservation(item, resource)
  local session, now = item.session, clock.nowMs()
  return {
    slot = resource, owner = item.requester, refCount = 1, pool = '', reservedAt = now,
    expiresAt = not session and item.ttlMs and now + item.ttlMs or 0, token = item.token, type = item.type,
    label = item.label or tenant.keyLabel, requestedName = item.resource, plan = '', details = '',
    session = session and session.id, condition = itemForms.conditionOf(item),
  }
end

-- Takes the slots for a reservation of what is not registered, and stores it. Returns false if somebody holds it
-- otherwise. `hold` is the record of a name that is to be held SHARED.
local function takeName(reservation, name, hold, isShared)
  local isJoined = isShared and hold and shared.isSharedHold(name, hold)
  if not isJoined and slotMap.recordAt(name) then
    return false
  elseif isShared then
    takeSharedName(name, reservation)
  else
    slotMap.setRecord(name, reservation)
  end
  return true
end

-- Takes the slots for a reservation, and stores it. The result is that of takeUnkept().
local function takeFor(reservation, item, resource, slot, count, collected)
  local hold = itemForms.isSharedItem(item) and slotMap.recordAt(slot or resource)
  -- A requester holds along EXCLUSIVE, and so its own reservation of such a resource is EXCLUSIVE, too.
  local isShared = itemForms.isSharedItem(item) and not (hold and hold.owner == item.requester)
  if tenant.queueText then
    tenant.openFor(slot or resource)
  end
  local own = registry.definition(resource)
  if own and count == 1 and not isShared and not collected and isAlone(own) then
    return takeAlone(reservation, item, resource, slot)
  elseif own or tenant.queue or not takeName(reservation, resource, hold, isShared) then
    return takePlan(reservation, item, resource, slot, count, isShared, collected)
  end
end

-- Returns the reply to an item for which a reservation was made. Who waits for a grant is told of attributes when that
-- is claimed.
local function replyOfMade(reservation, item)
  local session = item.session
  local reply = {
    'ACQUIRED', 'ACQUIRED', string.format('%d', reservation.fence),
    session and session.expiresAt or reservation.expiresAt, reservation.token, reservation.details,
  }
  return reservation.token == codec.UNCLAIMED and reply or
    heldAttributes.tell(leases.tellCut(reply, reservation, item), reservation)
end

-- Reserves an item (frame/items.lua) that has no match. Returns a reply:
--   {'ACQUIRED' or 'ALREADY_HAD', explanation, fencing token, expiry ms or 0, release token, details as JSON or '', and
--   what leases.tellCut() and heldAttributes.tell() add}
--   {'ALREADY_HELD' or 'NOT_AVAILABLE' or 'NOT_VALID', explanation}; if bookings were in the way, the latest end that
--   would do, in ms, stands in the field `bookedFrom`; if one slot was in the way, its name stands in
--   the field `held`, its record in `holder`, and in `claims` how many claims came before (reservations/texts.lua)
-- and the reservation if this call made it. If the item is refused and may wait, returns the name of the queue as the
-- third value. `collected` is as in takePlan().
function reserving.reserveNamed(item, collected)
  local count = item.count ~= '' and tonumber(item.count) or 1
  local resource, slot = naming.resolve(item.resource)
  local fault = whyMeaningless(item, resource, slot)
  local had = not fault and ownership.reservationOn(resource, slot, item.requester)
  if had then
    return answerHad(had, item, resource, slot, count)
  end
  fault = fault or whyNever(item, resource, slot, count)
  if fault then
    return { 'NOT_VALID', fault }
  end
  local reservation, session = newReservation(item, resource), item.session
  local reply, queue = takeFor(reservation, item, resource, slot, count, collected)
  if reply then
    return reply, nil, queue
  elseif item.options or session or item.waited then
    addExtras(reservation, item.options or {}, session, item.waited)
  end
  -- The fencing token is drawn last, once the reservation is certain. Nothing has read the record yet.
  tenant.fence = fencing.after(tenant.fence, clock.nowUs())
  reservation.fence = tenant.fence
  return replyOfMade(reservation, item), reservation
end

return reserving
