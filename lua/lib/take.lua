-- Takes the slots of a plan (plan.lua), all or none.
--@include conflicts
--@include undo

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
      slot, isNew = slotFor(entry)
    end
    if not slot then
      undo(mark)
      return entry
    end
    entry.at, entry.isNew = slot, isNew and not isTaken[slot]
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
        hold.pool = slot ~= entry.resource and entry.resource or ''
        hold.byName = entry.slot ~= nil or entry.role == 'further'
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
