-- Takes the slots of a plan (plan.lua), all or none.
--@include clock
--@include freeSlots
--@include held
--@include owners
--@include undo

-- Finds the slot for an entry. Returns the slot, and false if the entry's owner already holds it, true if not. Returns
-- nil if no slot is free.
local function find(entry)
  local resource, slot, owner = entry.resource, entry.slot, entry.owner
  if tenant.closing > nowMs then
    spend(1)
    if tonumber(redis.call('HGET', definitionsKey, '\2' .. resource) or 0) > nowMs then
      -- The resource may be about to be deleted, so no slot of it is assigned.
      entry.closing = true
      return nil
    end
  end
  local own = definition(resource)
  if slot then
    local record = recordAt(slot)
    if record then
      return record.owner == owner and slot or nil, false
    end
    return heldOf(resource) < own.capacity and slot or nil, true
  end
  if not own or not own.pooled then
    local record = recordAt(resource)
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

-- Takes the slots of a plan's entries, in order, and stores the reservation on the resource's own slot. Returns nil; or
-- the first entry that has no free slot, with nothing taken.
local function take(entries, reservation)
  local mark = #journal
  local isTaken, plan, names = {}, {}, {}
  for i, entry in ipairs(entries) do
    names[i] = entry.slot or entry.resource
  end
  readSlots(names)
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
    if isOwn then
      reservation.slot = slot
    end
    if not isTaken[slot] then
      isTaken[slot] = true
      if not isOwn then
        plan[#plan + 1] = slot
      end
      if isNew then
        local hold = isOwn and reservation or { owner = entry.owner, refCount = 1 }
        hold.pool, hold.byName = slot ~= entry.resource and entry.resource or '', entry.slot ~= nil
        setRecord(slot, hold)
      else
        local hold = recordAt(slot)
        setRecord(slot, copyWith(hold, { refCount = hold.refCount + 1 }))
      end
    end
  end
  local slot = reservation.slot
  local hold = recordAt(slot)
  if hold ~= reservation then
    -- The owner already held this slot: for an earlier reservation's plan or, by another name, for an earlier entry.
    reservation.refCount, reservation.pool, reservation.byName = hold.refCount, hold.pool, hold.byName
    setRecord(slot, reservation)
  end
  local others = {}
  for _, other in ipairs(plan) do
    if other ~= slot then
      others[#others + 1] = other
      others[#others + 1] = '\n'
    end
  end
  reservation.plan = table.concat(others)
end
