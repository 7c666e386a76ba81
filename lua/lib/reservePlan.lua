--@rare
-- What reserveOne.lua needs for resources that are registered or held, and for items with options.
--@include copyWith
--@include endOf
--@include further
--@include names
--@include paths
--@include plan
--@include several
--@include sharable
--@include take
--@include unclaimed

local whyNotValid, replyOfHad, takePlan, addFurther, reserveAny, takeSharedName
-- The block keeps the queue's function (waiting/open.lua) below the 200 local variables that Lua allows.
do
  -- Explains why a name is not valid.
  whyNotValid = function(name)
    spend(2)
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

  -- Returns the slots that an entry for several slots has taken, in index order.
  local function severalSlots(entry)
    -- Returns the index of a slot; -1 if it is a resource's only slot, held since the pool had that capacity.
    local function indexOf(slot)
      local _, index = slotIndex(slot)
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

  -- Returns the reply to an item, an entry of whose plan was not met, and the name of the line (waiting/lines.lua) in
  -- which the item would wait for it; nil if it never will be met.
  local function replyOfUnmet(entry)
    local status, explanation = whyNotTaken(entry)
    local own, at = definition(entry.resource), entry.slot or entry.resource
    -- One slot is in the way, unless any of a pool would do.
    local isOne = not entry.closing and not entry.invalid and (entry.slot or not own or own.capacity == 1)
    local claims = tenant.queue and tenant.queue.countClaims() or 0
    local role = entry.closing and 'closing' or entry.role
    return { status, explanation, held = at, holder = isOne and records[at] or nil, claims = claims, role = role },
      not entry.invalid and (entry.slot and recordAt(entry.slot) and entry.slot or entry.resource) or nil
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
    local isRetry = had.token == item.token
    local status = isRetry and 'ACQUIRED' or 'ALREADY_HAD'
    local waited = isRetry and had.waited and string.format('%d', had.waited) or nil
    return { status, status, string.format('%d', had.fence), endOf(had), had.token, had.details, waited }
  end

  -- Takes the slots of a reservation's plan, and describes them in the reservation. `collected` and the result are
  -- those of takeUnkept().
  takePlan = function(reservation, resource, slot, count, isShared, collected)
    local plan = { entries = {}, seen = {}, bytes = 0 }
    addTo(plan, resource, slot, reservation.owner, 'own', count > 1 and count or nil, isShared)
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
    if not reply then
      reservation.details = describe(plan.entries, resource, isShared)
      spend(#reservation.details / 100)
    end
    return reply, line
  end

  -- Gives a reservation that was made its further fields (codec.lua).
  addFurther = function(reservation, options, session, waited)
    reservation.waited = waited
    reservation.note = options.note
    reservation.match = options.matched and { options.matched, reservation.requestedName }
    reservation.details = withFurther(reservation.details, {
      note = reservation.note, session = reservation.session, match = reservation.match,
      waited = waited,
    })
    spend(#reservation.details / 100)
    if session then
      session.holds = session.holds + 1
    end
  end

  -- Reserves any resource that fits an item's match (match.lua). Returns as reserveOne().
  reserveAny = function(item)
    if not tenant.openMatch then
      return { 'NOT_VALID', 'NOT_VALID: no registered resource has these labels' }
    elseif not tenant.reserveMatch then
      tenant.openMatch()
    end
    return tenant.reserveMatch(item)
  end

  -- Takes a plain name for a SHARED reservation, and stores that.
  takeSharedName = function(name, reservation)
    takeShared(name, '', false, reservation)
    reservation.plan, reservation.details = name .. '\n', SHARED_DETAILS
    setRecord(reservation.slot, reservation)
  end
end
