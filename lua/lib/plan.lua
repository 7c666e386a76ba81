-- Reserving: the plan of a reservation, and whether it can be met.
--@include definitions

-- Slots and bytes of names that one reservation may come to. Blockers of blockers can multiply without bound.
local MAX_ENTRIES, MAX_PLAN_BYTES = 500, 8192

local function isTooLong(plan)
  return #plan.entries > MAX_ENTRIES or plan.bytes > MAX_PLAN_BYTES
end

-- Adds an entry, unless its resource, or that very slot of it, is in the plan already. Returns whether it was added.
local function addEntry(plan, resource, slot, owner, role)
  local key = slot and '\n' .. slot or resource
  if plan.seen[key] then
    return false
  end
  spend(2)
  plan.seen[key] = true
  plan.bytes = plan.bytes + #key
  plan.entries[#plan.entries + 1] = { resource = resource, slot = slot, owner = owner, role = role }
  return true
end

-- Adds to a plan what a resource, or one slot of it, needs for an owner: its ancestors from the root down, itself, then
-- the blockers of each of these that was not in the plan before, each by a plan of its own. A plan {entries, seen,
-- bytes} takes each resource once, whoever its owner would be: so resources that block each other exclude each other,
-- and cycles end.
local function addTo(plan, resource, slot, owner, role)
  local chain, own = { resource }, definition(resource)
  local above = own and own.parent or ''
  while above ~= '' and definition(above) do
    chain[#chain + 1] = above
    above = definition(above).parent
  end
  spend(#chain)
  local added = {}
  for i = #chain, 1, -1 do
    local roleHere = i > 1 and role == 'own' and 'ancestor' or role
    if addEntry(plan, chain[i], i == 1 and slot or nil, owner, roleHere) then
      added[#added + 1] = chain[i]
    end
  end
  for _, name in ipairs(added) do
    local blockers = blockersOf(name)
    if #blockers > 1 then
      readMeanings(blockers)
    end
    for _, blocker in ipairs(blockers) do
      if isTooLong(plan) then
        return
      end
      spend(2)
      local blocked, blockedSlot = resolve(blocker, true)
      if blocked then
        addTo(plan, blocked, blockedSlot, 'system:' .. name, 'blocker')
      else
        plan.entries[#plan.entries + 1] = { resource = blocker, role = 'blocker', invalid = true }
      end
    end
  end
end

-- The slot that meets an entry, and whether it must be taken (else its owner has it); nil if none does.
local function find(entry)
  local resource, slot, owner = entry.resource, entry.slot, entry.owner
  if isClosing(resource) then
    entry.closing = true
    return nil
  end
  local own = definition(resource)
  if slot then
    local record = at(slot)
    if record then
      return record.owner == owner and slot or nil, false
    end
    return heldOf(resource) < own.capacity and slot or nil, true
  end
  if not own or not own.pooled then
    local record = at(resource)
    if record then
      return record.owner == owner and resource or nil, false
    end
    return resource, true
  end
  local mine = assignedSlot(resource, owner)
  if mine then
    return mine, false
  elseif heldOf(resource) >= own.capacity then
    return nil
  elseif own.capacity == 1 then
    return resource, true
  end
  local index = lowestFree(resource, own.capacity)
  return index and resource .. '_' .. index, true
end

-- Why a plan cannot be met. Returns status and explanation.
local function refusal(entry)
  local name = entry.slot or entry.resource
  if entry.closing then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ' .. name .. ' is being deleted'
  elseif entry.role == 'ancestor' then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ancestor ' .. name .. ' is at capacity'
  elseif entry.role == 'blocker' then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: blocker ' .. name .. (entry.invalid and ' is not valid' or ' is held')
  end
  local own = definition(entry.resource)
  local pool = own and own.capacity > 1
  if not pool or entry.slot and at(entry.slot) then
    return 'ALREADY_HELD', 'ALREADY_HELD'
  end
  return 'NOT_AVAILABLE', 'NOT_AVAILABLE'
end

-- The slot with the requester's token for a resource, or for one slot of it; nil if it has none.
local function tokenSlot(resource, slot, requester)
  local own = definition(resource)
  local mine = slot or (own and own.pooled and assignedSlot(resource, requester) or resource)
  local record = at(mine)
  if record and record.token and record.owner == requester then
    return mine
  end
end

-- What the requester is told of the slots that its plan holds, as JSON: s acquiredSlots, b acquiredBlockers, p
-- reservedAtPath, each left out if it does not apply; '' if none does.
local function describe(entries, resource)
  local own = definition(resource)
  if not own or #entries == 1 and own.capacity == 1 then
    return ''
  end
  local slots, blockers, listed
  for _, entry in ipairs(entries) do
    if entry.role == 'blocker' then
      blockers, listed = blockers or {}, listed or {}
      if not listed[entry.at] then
        listed[entry.at] = true
        blockers[#blockers + 1] = entry.at
      end
    elseif definition(entry.resource).capacity > 1 then
      slots = slots or {}
      slots[entry.resource] = entry.at
    end
  end
  return cjson.encode({ s = slots, b = blockers, p = own.parent ~= '' and pathOf(resource) or nil })
end

-- Takes the slots that a plan needs, in order, the resource's own for the reservation. Returns nil; or the entry that
-- cannot be met, with nothing taken.
local function take(entries, reservation)
  local mark = #journal
  local taken, needed, names = {}, {}, {}
  for i, entry in ipairs(entries) do
    names[i] = entry.slot or entry.resource
  end
  read(names)
  for _, entry in ipairs(entries) do
    local slot, isNew
    if not entry.invalid then
      slot, isNew = find(entry)
    end
    if not slot then
      undo(mark)
      return entry
    end
    entry.at = slot
    local isOwn = entry.role == 'own'
    if not needed[slot] then
      needed[slot] = true
      if not isOwn then
        taken[#taken + 1] = slot
      end
      if isNew then
        local hold = isOwn and reservation or { owner = entry.owner, needs = 1 }
        hold.pool, hold.byName = slot ~= entry.resource and entry.resource or '', entry.slot ~= nil
        put(slot, hold)
      else
        local hold = at(slot)
        put(slot, with(hold, { needs = hold.needs + 1 }))
      end
    end
    if isOwn then
      reservation.slot = slot
    end
  end
  local own = reservation.slot
  local hold = at(own)
  if hold ~= reservation then
    -- It was held along already, for an earlier reservation or, under another name, for an earlier entry.
    reservation.needs, reservation.pool, reservation.byName = hold.needs, hold.pool, hold.byName
    put(own, reservation)
  end
  local others = {}
  for _, slot in ipairs(taken) do
    if slot ~= own then
      others[#others + 1] = slot
      others[#others + 1] = '\n'
    end
  end
  reservation.plan = table.concat(others)
end

-- Carries out one item of a request. Takes the resource's name as it was asked for, the lease in ms ('' never ends),
-- the resource type and the release token that it is to have. Returns a reply:
--   {'ACQUIRED' or 'ALREADY_HAD', explanation, fencing token, expires at ms or 0, release token, what it was told as
--   JSON or ''} {'ALREADY_HELD' or 'NOT_AVAILABLE' or 'NOT_VALID', explanation}
-- and true if this call made the reservation.
local function reserve(name, requester, ttlMs, type, token)
  local resource, slot = resolve(name)
  if not resource then
    spend(2)
    return { 'NOT_VALID', whyNotValid(name) }
  end
  local had = tokenSlot(resource, slot, requester)
  if had then
    local record = at(had)
    spend(#record.shown / 200)
    -- Its own token: the very call that acquired it, sent again because its reply was lost.
    local status = record.token == token and 'ACQUIRED' or 'ALREADY_HAD'
    return { status, status, string.format('%d', record.fence), record.expiresAt, record.token, record.shown }
  end

  local record = {
    owner = requester, needs = 1, pool = '', byName = false, reservedAt = nowMs,
    expiresAt = ttlMs == '' and 0 or nowMs + ttlMs, token = token, type = type, label = keyLabel, asked = name, plan = '',
    shown = '',
  }
  if definition(resource) or at(resource) then
    local plan = { entries = {}, seen = {}, bytes = 0 }
    addTo(plan, resource, slot, requester, 'own')
    if isTooLong(plan) then
      return { 'NOT_VALID', string.format(
        'NOT_VALID: it would take more than %d slots, or more than %d bytes of names', MAX_ENTRIES, MAX_PLAN_BYTES
      ) }
    end
    local unmet = take(plan.entries, record)
    if unmet then
      local status, explanation = refusal(unmet)
      return { status, explanation }
    end
    record.shown = describe(plan.entries, resource)
    spend(#record.shown / 100)
  else
    put(resource, record)
  end
  -- Only now is it known that it gets one; nothing has seen the record yet.
  fence = math.max(fence + 1, nowUs)
  record.fence = fence
  return { 'ACQUIRED', 'ACQUIRED', string.format('%d', fence), record.expiresAt, token, record.shown }, true
end
