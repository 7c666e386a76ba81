-- What reservations/match.lua needs for resources that are registered or held, and for items with options.
local clock = require('frame/clock')
local codec = require('slots/codec')
local itemForms = require('frame/items')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local planning = require('reservations/plan')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local work = require('frame/work')
local reserving = {}

-- Explains why a name is not valid.
local function whyNotValid(name)
  work.spend(2)
  local pool = pools.slotIndex(name)
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

-- Returns the slots that an entry for several slots has taken, in index order.
local function severalSlots(entry)
  -- Returns the index of a slot; -1 if it is a resource's only slot, held since the pool had that capacity.
  local function indexOf(slot)
    local _, index = pools.slotIndex(slot)
    return index or -1
  end

  local list, last = { entry.at, unpack(entry.further) }, -1
  for _, slot in ipairs(list) do
    local index = indexOf(slot)
    if index < last then
      table.sort(list, function(a, b)
        return indexOf(a) < indexOf(b)
      end)
      break
    end
    last = index
  end
  return list
end

-- The same result as describe() has for a SHARED reservation of a plain name.
local SHARED_DETAILS = '{"m":"SHARED"}'

-- Returns JSON that describes a reservation's slots to its requester: s (acquiredSlots), b (acquiredBlockers), p
-- (reservedAtPath), o (slots) and m (SHARED). A field that does not apply is left out; returns '' if none applies.
local function describe(entries, resource, isShared)
  local own = registry.definition(resource)
  if not own or #entries == 1 and own.capacity == 1 and own.parent == '' then
    return isShared and SHARED_DETAILS or ''
  end
  local slots, blockers, isListed, several
  for _, entry in ipairs(entries) do
    if entry.role == 'blocker' then
      blockers, isListed = blockers or {}, isListed or {}
      if not isListed[entry.at] then
        isListed[entry.at] = true
        blockers[#blockers + 1] = entry.at
      end
    elseif registry.definition(entry.resource).capacity > 1 then
      slots = slots or {}
      several = entry.count and severalSlots(entry) or several
      slots[entry.resource] = entry.count and several[1] or entry.at
    end
  end
  return cjson.encode({
    s = slots, b = blockers, p = own.parent ~= '' and naming.pathOf(resource) or nil, o = several,
    m = isShared and 'SHARED' or nil,
  })
end

-- Returns the reply to an item, an entry of whose plan was not met, and the name of the line (waiting/lines.lua) in
-- which the item would wait for it; nil if it never will be met.
local function replyOfUnmet(entry)
  local status, explanation = planning.whyNotTaken(entry)
  local own, at = registry.definition(entry.resource), entry.slot or entry.resource
  -- One slot is in the way, unless any of a pool would do.
  local isOne = not entry.closing and not entry.invalid and (entry.slot or not own or own.capacity == 1)
  local claims = tenant.queue and tenant.queue.countClaims() or 0
  local role = entry.closing and 'closing' or entry.role
  return { status, explanation, held = at, holder = isOne and slotMap.records[at] or nil, claims = claims, role = role },
    not entry.invalid and (entry.slot and slotMap.recordAt(entry.slot) and entry.slot or entry.resource) or nil
end

-- Takes the slots of a plan's entries on paper, unless some of them are kept for waiting requests. Collects the
-- entries in `collected`, if given: the caller then checks all of them together. Returns nil; or the reply that
-- refuses the item and the name of the line, with nothing taken.
local function takeUnkept(entries, reservation, collected)
  local mark = #slotMap.journal
  if tenant.queue or collected then
    for _, entry in ipairs(entries) do
      entry.requester = reservation.owner
    end
  end
  local unmet = planning.take(entries, reservation)
  if unmet then
    return replyOfUnmet(unmet)
  elseif collected then
    for _, entry in ipairs(entries) do
      collected[#collected + 1] = entry
    end
    return nil
  end
  local kept = tenant.queue and tenant.queue.keptEntries(entries, mark)
  if not kept then
    return nil
  end
  slotMap.undo(mark)
  if not tenant.queue.mayTake(kept) then
    return tenant.queue.keptReply(), kept[1].line
  end
  reservation.refCount = 1
  tenant.queue.excuse(function()
    planning.take(entries, reservation)
  end)
end

-- Returns the reply to an item whose requester holds the resource already.
function reserving.replyOfHad(had, item)
  if not shared.isEnough(had, item) then
    return { 'ALREADY_HELD', 'ALREADY_HELD: you hold it SHARED; release it first' }
  end
  work.spend(#had.details / 200)
  if had.token == codec.UNCLAIMED and item.token ~= codec.UNCLAIMED then
    if not tenant.queue and tenant.openQueue then
      tenant.openQueue()
    end
    if tenant.queue then
      return tenant.queue.claim(had, item)
    end
    -- Redis has lost the queue.
    had = codec.copyWith(had, { token = item.token })
    slotMap.setRecord(had.slot, had)
  end
  -- The same token means a retry of the call that acquired the reservation: the first reply was lost.
  local isRetry = had.token == item.token
  local status = isRetry and 'ACQUIRED' or 'ALREADY_HAD'
  local waited = isRetry and had.waited and string.format('%d', had.waited) or nil
  return { status, status, string.format('%d', had.fence), ownership.endOf(had), had.token, had.details, waited }
end

-- Takes the slots of a reservation's plan, and describes them in the reservation. `collected` and the result are
-- those of takeUnkept().
local function takePlan(reservation, resource, slot, count, isShared, collected)
  local plan = { entries = {}, seen = {}, bytes = 0 }
  planning.addTo(plan, resource, slot, reservation.owner, 'own', count > 1 and count or nil, isShared)
  if tenant.queueText and not tenant.queue then
    for _, entry in ipairs(plan.entries) do
      tenant.openFor(entry.resource)
    end
  end
  if planning.isTooLong(plan) then
    return { 'NOT_VALID', string.format(
      'NOT_VALID: it would take more than %d slots, or more than %d bytes of names', planning.MAX_ENTRIES, planning.MAX_PLAN_BYTES
    ) }
  end
  local reply, line = takeUnkept(plan.entries, reservation, collected)
  if not reply then
    reservation.details = describe(plan.entries, resource, isShared)
    work.spend(#reservation.details / 100)
  end
  return reply, line
end

-- Gives a reservation that was made its further fields (slots/codec.lua).
local function addFurther(reservation, options, session, waited)
  reservation.waited = waited
  reservation.note = options.note
  reservation.match = options.matched and { options.matched, reservation.requestedName }
  reservation.details = codec.withFurther(reservation.details, {
    note = reservation.note, session = reservation.session, match = reservation.match,
    waited = waited,
  })
  work.spend(#reservation.details / 100)
  if session then
    session.holds = session.holds + 1
  end
end

-- Takes a plain name for a SHARED reservation, and stores that.
local function takeSharedName(name, reservation)
  planning.takeShared(name, '', false, reservation)
  reservation.plan, reservation.details = name .. '\n', SHARED_DETAILS
  slotMap.setRecord(reservation.slot, reservation)
end

-- Reserves one item of a request.

-- Reserves an item (frame/items.lua) that has no match. Returns a reply:
--   {'ACQUIRED' or 'ALREADY_HAD', explanation, fencing token, expiry ms or 0, release token, details as JSON or ''}
--   {'ALREADY_HELD' or 'NOT_AVAILABLE' or 'NOT_VALID', explanation}; if one slot was in the way, its name stands in
--   the field `held`, its record in `holder`, and in `claims` how many claims came before (reservations/texts.lua)
-- and the reservation if this call made it. If the item is refused and may wait, returns the name of the line as the
-- third value. `collected` is as in takePlan().
function reserving.reserveNamed(item, collected)
  local name, requester = item.resource, item.requester
  local count = item.count ~= '' and tonumber(item.count) or 1
  local session = item.session
  local resource, slot = naming.resolve(name)
  local isShared = item.options and itemForms.isSharedItem(item)
  local fault = not resource and whyNotValid(name) or isShared and shared.whyNotSharable(resource, slot)
  local had = not fault and ownership.reservationOn(resource, slot, requester)
  if had then
    return reserving.replyOfHad(had, item), nil,
      not shared.isEnough(had, item) and not shared.whyNever(resource, slot, count) and (slot or resource) or nil
  end
  local own = not fault and registry.definition(resource)
  fault = fault or session and tenant.sessions.whyFull(session) or
    (own or count > 1) and shared.whyNever(resource, slot, count) or terms.whyNotAllowed(item)
  if fault then
    return { 'NOT_VALID', fault }
  end
  -- What the requester holds along is EXCLUSIVE, and so is its own reservation of it.
  local hold = isShared and slotMap.recordAt(slot or resource)
  isShared = isShared and not (hold and hold.owner == requester)
  local reservation = {
    slot = resource, owner = requester, refCount = 1, pool = '', reservedAt = clock.nowMs(),
    expiresAt = (session or item.ttlMs == '') and 0 or clock.nowMs() + item.ttlMs, token = item.token, type = item.type,
    label = item.label or tenant.keyLabel, requestedName = name, plan = '', details = '', session = session and session.id,
  }
  if tenant.queueText then
    tenant.openFor(slot or resource)
  end
  local isJoined = isShared and hold and shared.isSharedHold(resource, hold)
  if tenant.queue or own or not isJoined and slotMap.recordAt(resource) then
    local reply, line = takePlan(reservation, resource, slot, count, isShared, collected)
    if reply then
      return reply, nil, line
    end
  elseif isShared then
    takeSharedName(resource, reservation)
  else
    slotMap.setRecord(reservation.slot, reservation)
  end
  if item.options or session or item.waited then
    addFurther(reservation, item.options or {}, session, item.waited)
  end
  -- The fencing token is drawn last, once the reservation is certain. Nothing has read the record yet.
  tenant.fence = math.max(tenant.fence + 1, clock.nowUs())
  reservation.fence = tenant.fence
  return {
    'ACQUIRED', 'ACQUIRED', string.format('%d', reservation.fence),
    session and session.expiresAt or reservation.expiresAt, reservation.token, reservation.details,
  }, reservation
end

return reserving
