-- Reserves one item of a request.
--@include clock
--@include endOf
--@include plan
--@include several
--@include sharable
--@include unclaimed
--@include further
--@include take

local reserveOne, replyOfHad
-- The block keeps the queue's function (waiting/open.lua) below the 200 local variables that Lua allows.
do
  -- Explains why a name is not valid.
  local function whyNotValid(name)
    local pool = slotIndex(name)
    local whole = pool and definition(pool)
    if whole and whole.capacity > 1 then
      return string.format(
        'NOT_VALID: %s has %d slots, %s_0 to %s_%d', pool, whole.capacity, pool, pool, whole.capacity - 1
      )
    end
    local last = lastSegment(name)
    if last and definition(last) then
      spend(#pathOf(last) / 100)
      return 'NOT_VALID: ' .. last .. ' is registered as ' .. pathOf(last)
    end
    return 'NOT_VALID: ' .. name .. ' is not registered, and this tenant allows only registered resources'
  end

  -- Returns the index of a slot; -1 if it is a resource's only slot, held since the pool had that capacity.
  local function indexOf(slot)
    local _, index = slotIndex(slot)
    return index or -1
  end

  -- Returns the slots that an entry for several slots has taken, in index order.
  local function severalSlots(entry)
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

  -- What describe() returns for a SHARED reservation of a plain name.
  local SHARED_DETAILS = '{"m":"SHARED"}'

  -- Returns JSON that describes a reservation's slots to its requester: s (acquiredSlots), b (acquiredBlockers), p
  -- (reservedAtPath), o (slots) and m (SHARED). A field that does not apply is left out; returns '' if none applies.
  local function describe(entries, resource, isShared)
    local own = definition(resource)
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
      elseif definition(entry.resource).capacity > 1 then
        slots = slots or {}
        several = entry.count and severalSlots(entry) or several
        slots[entry.resource] = entry.count and several[1] or entry.at
      end
    end
    return cjson.encode({
      s = slots, b = blockers, p = own.parent ~= '' and pathOf(resource) or nil, o = several,
      m = isShared and 'SHARED' or nil,
    })
  end

  -- Returns the name of the line (waiting/lines.lua) in which a request would wait for an entry that was not met; nil
  -- if it never will be.
  local function lineOf(entry)
    if entry.invalid then
      return nil
    end
    return entry.slot and recordAt(entry.slot) and entry.slot or entry.resource
  end

  -- Returns the record of the one slot that an entry lacked; nil if any slot of a pool would have met it, or if no hold
  -- is in the way.
  local function holderOf(entry)
    local own = definition(entry.resource)
    if entry.closing or entry.invalid or not entry.slot and own and own.capacity > 1 then
      return nil
    end
    return records[entry.slot or entry.resource] or nil
  end

  -- Takes the slots of a plan's entries on paper, unless some of them are kept for waiting requests. Collects the
  -- entries in `collected`, if given: the caller then checks all of them together. Returns nil; or the reply that
  -- refuses the item and the name of the line, with nothing taken.
  local function takeUnkept(entries, reservation, collected)
    local mark = #journal
    if tenant.queue or collected then
      for _, entry in ipairs(entries) do
        entry.requester = reservation.owner
      end
    end
    local unmet = take(entries, reservation)
    if unmet then
      local status, explanation = whyNotTaken(unmet)
      return {
        status, explanation, held = unmet.slot or unmet.resource, holder = holderOf(unmet),
        claims = tenant.queue and tenant.queue.countClaims() or 0,
      }, lineOf(unmet)
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
    undo(mark)
    if not tenant.queue.mayTake(kept) then
      return tenant.queue.keptReply(), kept[1].line
    end
    reservation.refCount = 1
    tenant.queue.excuse(function()
      take(entries, reservation)
    end)
  end

  -- Returns the reply to an item whose requester holds the resource already.
  replyOfHad = function(had, item)
    if not isEnough(had, item) then
      return { 'ALREADY_HELD', 'ALREADY_HELD: you hold it SHARED; release it first' }
    end
    spend(#had.details / 200)
    if had.token == UNCLAIMED and item.token ~= UNCLAIMED then
      if not tenant.queue and tenant.openQueue then
        tenant.openQueue()
      end
      if tenant.queue then
        return tenant.queue.claim(had, item)
      end
      -- Redis has lost the queue.
      had = copyWith(had, { token = item.token })
      setRecord(had.slot, had)
    end
    -- The same token means a retry of the call that acquired the reservation: the first reply was lost.
    local status = had.token == item.token and 'ACQUIRED' or 'ALREADY_HAD'
    return { status, status, string.format('%d', had.fence), endOf(had), had.token, had.details }
  end

  -- Returns the reservation that an item makes, before it has its slots and fencing token.
  local function newReservation(item, resource, session)
    return {
      slot = resource, owner = item.requester, refCount = 1, pool = '', reservedAt = nowMs,
      expiresAt = (session or item.ttlMs == '') and 0 or nowMs + item.ttlMs, token = item.token, type = item.type,
      label = item.label or tenant.keyLabel, requestedName = item.resource, plan = '', details = '',
      session = session and session.id,
    }
  end

  -- Takes a plain name that is free, or is to be held SHARED with others.
  local function takePlain(resource, reservation, isShared)
    if isShared then
      takeShared(resource, '', false, reservation)
      reservation.plan, reservation.details = resource .. '\n', SHARED_DETAILS
    end
    setRecord(reservation.slot, reservation)
  end

  -- Completes a reservation that was made, and returns the reply to its item.
  local function replyOfMade(reservation, item, session)
    if item.options or session then
      local options = item.options or {}
      reservation.note = options.note
      reservation.match = options.matched and { options.matched, reservation.requestedName }
      reservation.details = withFurther(reservation.details, {
        note = reservation.note, session = reservation.session, match = reservation.match,
      })
      spend(#reservation.details / 100)
    end
    if session then
      session.holds = session.holds + 1
    end
    -- The fencing token is drawn last, once the reservation is certain. Nothing has read the record yet.
    tenant.fence = math.max(tenant.fence + 1, nowUs)
    reservation.fence = tenant.fence
    return {
      'ACQUIRED', 'ACQUIRED', string.format('%d', reservation.fence),
      session and session.expiresAt or reservation.expiresAt, reservation.token, reservation.details,
    }
  end

  -- Returns the session that an item has instead of a lease: nil if it has none, false if there is no such session.
  local function sessionOf(item)
    -- 115 is an s (items/reserve.lua). An item of a ticket has its session already (waiting/ask.lua).
    if item.session == nil and string.byte(item.ttlMs or '') == 115 then
      return tenant.sessions and tenant.sessions.of(string.sub(item.ttlMs, 2), item.requester) or false
    end
    return item.session
  end

  -- Reserves any resource that fits an item's match (match.lua). Returns as reserveOne().
  local function reserveAny(item)
    if not tenant.openMatch then
      return { 'NOT_VALID', 'NOT_VALID: no registered resource has these labels' }
    elseif not tenant.reserveMatch then
      tenant.openMatch()
    end
    return tenant.reserveMatch(item)
  end

  -- Reserves an item (items/reserve.lua). Returns a reply:
  --   {'ACQUIRED' or 'ALREADY_HAD', explanation, fencing token, expiry ms or 0, release token, details as JSON or ''}
  --   {'ALREADY_HELD' or 'NOT_AVAILABLE' or 'NOT_VALID', explanation}; if one slot was in the way, its name stands in
  --   the field `held`, its record in `holder`, and in `claims` how many claims came before (heldBy.lua)
  -- and the reservation if this call made it. If the item is refused and may wait, returns the name of the line as the
  -- third value. `collected` is as in takeUnkept().
  reserveOne = function(item, collected)
    if item.options and item.options.match then
      return reserveAny(item)
    end
    local name, requester, count = item.resource, item.requester, tonumber(item.count) or 1
    local session = sessionOf(item)
    if session == false then
      return { 'NOT_VALID', 'NOT_VALID: there is no such session, or it has ended' }
    end
    local resource, slot = resolve(name)
    if not resource then
      spend(2)
      return { 'NOT_VALID', whyNotValid(name) }
    end
    local isShared = isSharedItem(item)
    local fault = isShared and whyNotSharable(resource, slot)
    if fault then
      return { 'NOT_VALID', fault }
    end
    local had = reservationOn(resource, slot, requester)
    if had then
      return replyOfHad(had, item), nil, not isEnough(had, item) and (slot or resource) or nil
    end
    fault = session and tenant.sessions.whyFull(session) or whyNever(resource, slot, count)
    if fault then
      return { 'NOT_VALID', fault }
    end
    -- What the requester holds along is EXCLUSIVE, and so is its own reservation of it.
    local hold = isShared and recordAt(slot or resource)
    isShared = isShared and not (hold and hold.owner == requester)

    local reservation = newReservation(item, resource, session)
    if tenant.queueText then
      tenant.openFor(slot or resource)
    end
    local isJoined = isShared and hold and isSharedHold(resource, hold)
    if tenant.queue or definition(resource) or not isJoined and recordAt(resource) then
      local plan = { entries = {}, seen = {}, bytes = 0 }
      addTo(plan, resource, slot, requester, 'own', count > 1 and count or nil, isShared)
      if tenant.queueText and not tenant.queue then
        for _, entry in ipairs(plan.entries) do
          tenant.openFor(entry.resource)
        end
      end
      if isTooLong(plan) then
        return { 'NOT_VALID', string.format(
          'NOT_VALID: it would take more than %d slots, or more than %d bytes of names', MAX_ENTRIES, MAX_PLAN_BYTES
        ) }
      end
      local reply, line = takeUnkept(plan.entries, reservation, collected)
      if reply then
        return reply, nil, line
      end
      reservation.details = describe(plan.entries, resource, isShared)
      spend(#reservation.details / 100)
    else
      takePlain(resource, reservation, isShared)
    end
    return replyOfMade(reservation, item, session), reservation
  end
end
--@include match
