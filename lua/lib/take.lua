--@rare
-- Takes the slots of a plan (plan.lua), all or none.
--@include conflicts
--@include copyWith
--@include isShare
--@include undo

-- Takes a slot, which is free or held SHARED, for a SHARED reservation.
local function takeShared(slot, pool, byName, reservation)
  local MAX_HOLDER_BYTES = 500
  local before, requester = recordAt(slot), reservation.owner
  local holders = before and before.holders or ''
  if #holders + #requester < MAX_HOLDER_BYTES then
    holders = holders .. requester .. '\n'
  end
  setRecord(slot, before and copyWith(before, { refCount = before.refCount + 1, holders = holders }) or {
    owner = sharedOwner(slot), refCount = 1, pool = pool, byName = byName, holders = holders,
  })
  reservation.slot = shareOf(slot, requester)
end

-- Takes the further slots of an entry for several slots of a pool: those of the lowest indexes. Notes them in the entry
-- and adds them to the plan. Returns false if too few are free.
local function takeFurther(entry, plan)
  local pool, capacity = entry.resource, definition(entry.resource).capacity
  local further = {}
  entry.further = further
  if heldOf(pool) + entry.count - 1 > capacity then
    return false
  end
  local hold = { owner = entry.owner, refCount = 1, pool = pool, byName = true }
  for i = 1, entry.count - 1 do
    local index
    if tenant.queue then
      index = tenant.queue.unkept(pool, capacity)
    else
      index = lowestFree(pool, capacity)
    end
    if not index then
      return false
    end
    local slot = slotAt(pool, index)
    setRecord(slot, hold)
    further[i], plan[#plan + 1] = slot, slot
  end
  return true
end

-- Takes the slots of a plan's entries, in order, and stores the reservation on the resource's own slot; a SHARED one in
-- a field of its own (shared.lua). Returns nil; or the first entry that has no free slot, with nothing taken.
local function take(entries, reservation)
  local mark = #journal
  local isTaken, plan, names, others = {}, {}, {}, {}
  for i, entry in ipairs(entries) do
    names[i] = entry.slot or entry.resource
  end
  readSlots(names)
  for _, entry in ipairs(entries) do
    local slot, isNew
    if not entry.invalid then
      slot, isNew = slotFor(entry)
    end
    if not slot then
      undo(mark)
      return entry
    end
    entry.at, entry.isNew = slot, isNew and not isTaken[slot]
    local isShared, isOwnSlot = entry.isShared, entry.role == 'own' and not entry.isShared
    if isOwnSlot then
      reservation.slot = slot
    end
    if not isTaken[slot] then
      isTaken[slot] = true
      if not isOwnSlot then
        table.insert(plan, isShared and 1 or #plan + 1, slot)
      end
      local pool = slot ~= entry.resource and entry.resource or ''
      if isShared then
        takeShared(slot, pool, entry.slot ~= nil, reservation)
      elseif isNew then
        local hold = isOwnSlot and reservation or { owner = entry.owner, refCount = 1 }
        hold.pool, hold.byName = pool, entry.slot ~= nil
        setRecord(slot, hold)
      else
        local hold = recordAt(slot)
        setRecord(slot, copyWith(hold, { refCount = hold.refCount + 1 }))
      end
    end
    if entry.count and not takeFurther(entry, plan) then
      undo(mark)
      return entry
    end
  end
  local slot = reservation.slot
  local hold = not isShare(slot) and recordAt(slot)
  if not hold then
    setRecord(slot, reservation)
  elseif hold ~= reservation then
    -- The owner already held this slot: for an earlier reservation's plan or, by another name, for an earlier entry.
    reservation.refCount, reservation.pool, reservation.byName = hold.refCount, hold.pool, hold.byName
    setRecord(slot, reservation)
  end
  for _, other in ipairs(plan) do
    if other ~= slot then
      others[#others + 1] = other
      others[#others + 1] = '\n'
    end
  end
  reservation.plan = table.concat(others)
end
