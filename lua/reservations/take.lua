-- Takes the slots of a plan (reservations/plan.lua), all or none.
local clock = require('frame/clock')
local codec = require('slots/codec')
local conditionTexts = require('reservations/conditionTexts')
local conditions = require('slots/conditions')
local fits = require('bookings/fits')
local freeSlots = require('slots/freeSlots')
local isoTime = require('frame/isoTime')
local keys = require('frame/keys')
local ownership = require('reservations/owners')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local taking = {}

-- Returns true if a resource may be about to be deleted: then no slot of it is assigned, or booked.
function taking.isClosing(resource)
  if tenant.closing <= clock.nowMs() then
    return false
  end
  work.spend(1)
  return tonumber(redis.call('HGET', keys.definitions, '\2' .. resource) or 0) > clock.nowMs()
end

-- Returns the lowest free slot of a pool that has a condition and is not kept for waiting requests; nil if none is
-- free.
local function nextSlot(pool, capacity, condition)
  local slotNumber
  if tenant.queue then
    slotNumber = tenant.queue.unkept(pool, capacity, condition)
  else
    slotNumber = conditions.nextFree(pool, capacity, condition)
  end
  return slotNumber and pools.slotAt(pool, slotNumber)
end

-- Returns true if an entry may use a slot that its owner holds already: what a requester holds for its plans serves
-- again whatever its condition, but not as a slot in the condition that the entry asks for. To join what others share
-- counts as taking it.
local function mayUseAgain(entry, slot)
  if not conditions.areAny(entry.resource) and not entry.condition or entry.role == 'ancestor' then
    return true
  end
  return conditions.at(entry.resource, slot) == (entry.condition or 'ready')
end

-- Returns as slotFor(), for an entry of a resource with several slots.
local function slotOfPool(entry, own)
  local resource, condition = entry.resource, entry.condition or 'ready'
  local mine = ownership.assignedSlot(resource, entry.owner)
  if mine then
    return mayUseAgain(entry, mine) and mine or nil, false
  elseif conditions.freeOf(resource, own.capacity, condition) < (entry.count or 1) then
    return nil
  elseif own.capacity == 1 then
    return fits.ifFitting(entry, resource), true
  elseif entry.term then
    return fits.chooseFor(entry, own.capacity, condition), true
  end
  return nextSlot(resource, own.capacity, condition), true
end

-- Returns true if the slot that an entry names, which nobody holds, can be taken for it.
local function isTakeable(entry, own)
  local isFree = not entry.slot or freeSlots.heldOf(entry.resource) < own.capacity
  return isFree and (not own or not own.hasConditions and not entry.condition or
    conditions.at(entry.resource, entry.slot) == (entry.condition or 'ready'))
end

-- Finds the slot for an entry. Returns the slot, and false if the entry's owner already holds it, true if not. Returns
-- nil if no slot is free.
function taking.slotFor(entry)
  if taking.isClosing(entry.resource) then
    entry.closing = true
    return nil
  end
  local own = registry.definition(entry.resource)
  if not entry.slot and own and own.pooled then
    return slotOfPool(entry, own)
  end
  local slot = entry.slot or entry.resource
  local record = slotMap.recordAt(slot)
  if record then
    return record.owner == entry.owner and mayUseAgain(entry, entry.slot) and fits.ifFitting(entry, slot) or nil, false
  end
  return isTakeable(entry, own) and fits.ifFitting(entry, slot) or nil, true
end

-- Returns status and explanation of an entry of the resource itself that has no free slot.
local function statusOfHeld(entry)
  local own = registry.definition(entry.resource)
  local pool = own and own.capacity > 1
  local status = (not pool or entry.slot and slotMap.recordAt(entry.slot)) and 'ALREADY_HELD' or 'NOT_AVAILABLE'
  return status, status
end

-- Explains why an entry of a plan cannot be met. Returns status and explanation.
function taking.whyNotTaken(entry)
  if entry.bookedFrom then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: booked from ' .. isoTime.of(entry.bookedFrom)
  end
  local name = entry.slot or entry.resource
  local unfit = not entry.closing and not entry.invalid and conditionTexts.whyUnfit(entry)
  if unfit then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ' .. unfit
  elseif entry.closing then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ' .. name .. ' is being deleted'
  elseif entry.never then
    return 'NOT_VALID', 'NOT_VALID: blocker ' .. name .. ' ' .. entry.never
  elseif entry.role == 'ancestor' then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ancestor ' .. name .. ' is at capacity'
  elseif entry.role == 'blocker' then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: blocker ' .. name .. (entry.invalid and ' is not valid' or ' is held')
  end
  return statusOfHeld(entry)
end

-- Takes a slot, which is free or held SHARED, for a SHARED reservation.
function taking.takeShared(slot, pool, byName, reservation)
  local MAX_HOLDER_BYTES = 500
  local before, requester = slotMap.recordAt(slot), reservation.owner
  local holders = before and before.holders or ''
  if #holders + #requester < MAX_HOLDER_BYTES then
    holders = holders .. requester .. '\n'
  end
  slotMap.setRecord(slot, before and codec.copyWith(before, { refCount = before.refCount + 1, holders = holders }) or {
    owner = shared.sharedOwner(slot), refCount = 1, pool = pool, byName = byName, holders = holders,
  })
  reservation.slot = shared.shareOf(slot, requester)
end

-- Takes the other slots of an entry for several slots of a pool: those of the lowest numbers. Notes them in the entry
-- and adds them to the plan. Returns false if too few are free.
local function takeMoreSlots(entry, plan)
  local pool, capacity = entry.resource, registry.definition(entry.resource).capacity
  local moreSlots = {}
  entry.moreSlots = moreSlots
  local condition = entry.condition or 'ready'
  if conditions.freeOf(pool, capacity, condition) < entry.count - 1 then
    return false
  end
  local hold = { owner = entry.owner, refCount = 1, pool = pool, byName = true }
  for i = 1, entry.count - 1 do
    local slot = entry.chosen and entry.chosen[i + 1] or not entry.chosen and nextSlot(pool, capacity, condition)
    if not slot then
      return false
    end
    slotMap.setRecord(slot, hold)
    moreSlots[i], plan[#plan + 1] = slot, slot
  end
  return true
end

-- Holds a slot for an entry.
local function holdSlot(entry, slot, isNew, reservation)
  local pool = slot ~= entry.resource and entry.resource or ''
  if entry.isShared then
    taking.takeShared(slot, pool, entry.slot ~= nil, reservation)
  elseif isNew then
    local hold = entry.role == 'own' and reservation or { owner = entry.owner, refCount = 1 }
    hold.pool, hold.byName = pool, entry.slot ~= nil
    slotMap.setRecord(slot, hold)
  else
    local hold = slotMap.recordAt(slot)
    slotMap.setRecord(slot, codec.copyWith(hold, { refCount = hold.refCount + 1 }))
  end
end

-- Cuts the lease of a reservation, which has the slot of an entry, to the first booking. That of a grant begins later.
local function cutLease(reservation, entry)
  if entry.cutTo and reservation.token ~= codec.UNCLAIMED then
    reservation.expiresAt = entry.cutTo
  end
end

-- Notes what the term of an entry means, before it takes a slot: for whom that is kept (waiting/keptSlots.lua), and
-- which lease a grant gets when it is claimed: nobody may book the slot until that would end.
local function noteTerm(entry, reservation, slot, isNew)
  if tenant.queue then
    entry.keptFor = tenant.queue.keepersFor(entry, entry.chosen or { slot }, isNew)
  end
  local endsAt = math.min(entry.cutTo or math.huge, entry.term.endsAt)
  if reservation.token == codec.UNCLAIMED and endsAt < math.huge then
    reservation.lease = endsAt - reservation.expiresAt
  end
end

-- Takes the slot of an entry, and adds it to the plan, an array of slots, unless it is the reservation's own.
-- isTaken[slot]: an entry before has taken it. Returns false if none is free.
local function takeEntry(entry, reservation, plan, isTaken)
  if entry.invalid then
    return false
  end
  local slot, isNew = taking.slotFor(entry)
  if not slot then
    return false
  end
  entry.at, entry.isNew = slot, isNew and not isTaken[slot]
  if entry.term then
    noteTerm(entry, reservation, slot, isNew)
  end
  cutLease(reservation, entry)
  local isOwnSlot = entry.role == 'own' and not entry.isShared
  if isOwnSlot then
    reservation.slot = slot
  end
  if not isTaken[slot] then
    isTaken[slot] = true
    if not isOwnSlot then
      table.insert(plan, entry.isShared and 1 or #plan + 1, slot)
    end
    holdSlot(entry, slot, isNew, reservation)
  end
  return not entry.count or takeMoreSlots(entry, plan)
end

-- Takes the slot of a plan's only entry for a reservation, and stores that. Returns nil; or the entry, if it has no
-- free slot; then nothing is taken.
function taking.takeOne(entry, reservation)
  local slot, isNew = taking.slotFor(entry)
  if not slot then
    return entry
  elseif not isNew then
    -- Plans of others hold it.
    return taking.take({ entry }, reservation)
  end
  entry.at, entry.isNew, reservation.slot = slot, true, slot
  reservation.pool, reservation.byName = slot ~= entry.resource and entry.resource or '', entry.slot ~= nil
  cutLease(reservation, entry)
  slotMap.setRecord(slot, reservation)
end

-- Stores a reservation on its own slot.
local function storeReservation(reservation)
  local slot = reservation.slot
  local hold = not shared.isShare(slot) and slotMap.recordAt(slot)
  if hold == reservation then
    return
  elseif hold then
    -- The owner already held this slot: for an earlier reservation's plan or, by another name, for an earlier entry.
    reservation.refCount, reservation.pool, reservation.byName = hold.refCount, hold.pool, hold.byName
  end
  slotMap.setRecord(slot, reservation)
end

-- Returns the slots of a plan besides a reservation's own, as records have them.
local function planText(plan, slot)
  local others = {}
  for _, other in ipairs(plan) do
    if other ~= slot then
      others[#others + 1] = other
      others[#others + 1] = '\n'
    end
  end
  return table.concat(others)
end

-- Reads the slots that entries name, at once.
local function readEntries(entries)
  if #entries == 1 and slotMap.records[entries[1].slot or entries[1].resource] ~= nil then
    return
  end
  local names = {}
  for i, entry in ipairs(entries) do
    names[i] = entry.slot or entry.resource
  end
  slotMap.readSlots(names)
end

-- Takes the slots of a plan's entries, in order, and stores the reservation on the resource's own slot; a SHARED one in
-- a field of its own (slots/shared.lua). Returns nil; or the first entry that has no free slot, with nothing taken.
function taking.take(entries, reservation)
  local mark, plan, isTaken = #slotMap.journal, {}, {}
  readEntries(entries)
  for _, entry in ipairs(entries) do
    if not takeEntry(entry, reservation, plan, isTaken) then
      slotMap.undo(mark)
      return entry
    end
  end
  storeReservation(reservation)
  reservation.plan = plan[1] and planText(plan, reservation.slot) or ''
end

return taking
