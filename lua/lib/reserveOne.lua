-- Reserves one item of a request.
--@include clock
--@include definitions
--@include isSharedItem
--@include names
--@include owners
--@include reservePlan
--@include several
--@include sharable
--@include slots
--@include terms

-- Reserves an item (items/reserve.lua). Returns a reply:
--   {'ACQUIRED' or 'ALREADY_HAD', explanation, fencing token, expiry ms or 0, release token, details as JSON or ''}
--   {'ALREADY_HELD' or 'NOT_AVAILABLE' or 'NOT_VALID', explanation}; if one slot was in the way, its name stands in
--   the field `held`, its record in `holder`, and in `claims` how many claims came before (asTexts.lua)
-- and the reservation if this call made it. If the item is refused and may wait, returns the name of the line as the
-- third value. `collected` is as in takePlan().
local function reserveOne(item, collected)
  local name, requester = item.resource, item.requester
  local count = item.count ~= '' and tonumber(item.count) or 1
  -- 115 is an s (items/reserve.lua). An item of a ticket has its session already (waiting/ask.lua).
  if item.session == nil and string.byte(item.ttlMs or '') == 115 then
    item.session = tenant.sessions and tenant.sessions.of(string.sub(item.ttlMs, 2), requester) or false
  end
  local session = item.session
  if session == false then
    return { 'NOT_VALID', 'NOT_VALID: there is no such session, or it has ended' }
  elseif item.options and item.options.match then
    return reserveAny(item)
  end
  local resource, slot = resolve(name)
  local isShared = item.options and isSharedItem(item)
  local fault = not resource and whyNotValid(name) or isShared and whyNotSharable(resource, slot)
  local had = not fault and reservationOn(resource, slot, requester)
  if had then
    return replyOfHad(had, item), nil,
      not isEnough(had, item) and not whyNever(resource, slot, count) and (slot or resource) or nil
  end
  local own = not fault and definition(resource)
  fault = fault or session and tenant.sessions.whyFull(session) or
    (own or count > 1) and whyNever(resource, slot, count) or tenant.whyNotAllowed and tenant.whyNotAllowed(item)
  if fault then
    return { 'NOT_VALID', fault }
  end
  -- What the requester holds along is EXCLUSIVE, and so is its own reservation of it.
  local hold = isShared and recordAt(slot or resource)
  isShared = isShared and not (hold and hold.owner == requester)
  local reservation = {
    slot = resource, owner = requester, refCount = 1, pool = '', reservedAt = nowMs,
    expiresAt = (session or item.ttlMs == '') and 0 or nowMs + item.ttlMs, token = item.token, type = item.type,
    label = item.label or tenant.keyLabel, requestedName = name, plan = '', details = '', session = session and session.id,
  }
  if tenant.queueText then
    tenant.openFor(slot or resource)
  end
  local isJoined = isShared and hold and isSharedHold(resource, hold)
  if tenant.queue or own or not isJoined and recordAt(resource) then
    local reply, line = takePlan(reservation, resource, slot, count, isShared, collected)
    if reply then
      return reply, nil, line
    end
  elseif isShared then
    takeSharedName(resource, reservation)
  else
    setRecord(reservation.slot, reservation)
  end
  if item.options or session or item.waited then
    addFurther(reservation, item.options or {}, session, item.waited)
  end
  -- The fencing token is drawn last, once the reservation is certain. Nothing has read the record yet.
  tenant.fence = math.max(tenant.fence + 1, nowUs)
  reservation.fence = tenant.fence
  return {
    'ACQUIRED', 'ACQUIRED', string.format('%d', reservation.fence),
    session and session.expiresAt or reservation.expiresAt, reservation.token, reservation.details,
  }, reservation
end
--@include match
