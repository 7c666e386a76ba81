-- The plan of a reservation (docs/specification.md#plans): all slots that it needs.
local batch = require('frame/batch')
local clock = require('frame/clock')
local codec = require('slots/codec')
local freeSlots = require('slots/freeSlots')
local keys = require('frame/keys')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local planning = {}

-- Returns true if a plan has too many slots or bytes of names. Without a limit, blockers of blockers could multiply
-- without bound.
planning.MAX_ENTRIES, planning.MAX_PLAN_BYTES = 500, 8192

function planning.isTooLong(plan)
  return #plan.entries > planning.MAX_ENTRIES or plan.bytes > planning.MAX_PLAN_BYTES
end

-- Adds the entries to a plan that reserving a resource, or one slot of it, needs: its ancestors from the root down,
-- without groups, then the resource itself, then the blockers of each of these that was not yet in the plan, with the
-- entries that each blocker needs. A plan {entries, seen, bytes} has each resource, or one slot of it, only once, even
-- for different owners. So resources that block each other exclude each other, and cycles end. `count` is the number of
-- slots of the resource itself if these are several, else nil. `isShared`: the resource itself is to be held SHARED.
function planning.addTo(plan, resource, slot, owner, role, count, isShared)
  local chain, own = { resource }, registry.definition(resource)
  local above = own and own.parent or ''
  while above ~= '' and registry.definition(above) do
    local node = registry.definition(above)
    if not node.isGroup then
      chain[#chain + 1] = above
    end
    above = node.parent
  end
  work.spend(#chain)
  local added = {}
  for i = #chain, 1, -1 do
    local entry = { resource = chain[i], slot = i == 1 and slot or nil, owner = owner, role = role }
    if i > 1 and role == 'own' then
      entry.role = 'ancestor'
    elseif i == 1 and isShared then
      entry.owner, entry.isShared = shared.sharedOwner(slot or resource), true
    end
    local key = entry.slot and '\n' .. entry.slot or entry.resource
    if not plan.seen[key] then
      work.spend(2)
      plan.seen[key] = true
      plan.bytes = plan.bytes + #key
      plan.entries[#plan.entries + 1] = entry
      added[#added + 1] = entry.resource
      entry.count = i == 1 and count or nil
    end
  end
  for _, name in ipairs(added) do
    local blockers = naming.blockersOf(name)
    if #blockers > 1 then
      batch.readMeanings(blockers)
    end
    for _, blocker in ipairs(blockers) do
      if planning.isTooLong(plan) then
        return
      end
      work.spend(2)
      local blocked, blockedSlot = naming.resolve(blocker, true)
      local meant = blocked and registry.definition(blocked)
      if meant and meant.isGroup then
        plan.entries[#plan.entries + 1] = { resource = blocker, role = 'blocker', invalid = true, isGroup = true }
      elseif blocked then
        planning.addTo(plan, blocked, blockedSlot, 'system:' .. name, 'blocker')
      else
        plan.entries[#plan.entries + 1] = { resource = blocker, role = 'blocker', invalid = true }
      end
    end
  end
end

-- Finds the slot for an entry of a plan (reservations/plan.lua), or explains the conflict if there is none: another
-- owner holds the resource, an ancestor or a blocker.

-- Returns the name of a pool's slot.
local function slotAt(pool, index)
  local slot = pool .. '_' .. index
  pools.poolNames[slot], pools.poolIndexes[slot] = pool, index
  return slot
end

-- Finds the slot for an entry. Returns the slot, and false if the entry's owner already holds it, true if not. Returns
-- nil if no slot is free.
function planning.slotFor(entry)
  local resource, slot, owner = entry.resource, entry.slot, entry.owner
  if tenant.closing > clock.nowMs() then
    work.spend(1)
    if tonumber(redis.call('HGET', keys.definitions, '\2' .. resource) or 0) > clock.nowMs() then
      -- The resource may be about to be deleted, so no slot of it is assigned.
      entry.closing = true
      return nil
    end
  end
  local own = registry.definition(resource)
  if slot then
    local record = slotMap.recordAt(slot)
    if record then
      return record.owner == owner and slot or nil, false
    end
    return freeSlots.heldOf(resource) < own.capacity and slot or nil, true
  end
  if not own or not own.pooled then
    local record = slotMap.recordAt(resource)
    if record then
      return record.owner == owner and resource or nil, false
    end
    return resource, true
  end
  local mine = ownership.assignedSlot(resource, owner)
  if mine then
    return mine, false
  elseif freeSlots.heldOf(resource) + (entry.count or 1) > own.capacity then
    return nil
  elseif own.capacity == 1 then
    return resource, true
  end
  local index
  if tenant.queue then
    index = tenant.queue.unkept(resource, own.capacity)
  else
    index = freeSlots.lowestFree(resource, own.capacity)
  end
  return index and slotAt(resource, index), true
end

-- Explains why an entry of a plan cannot be met. Returns status and explanation.
function planning.whyNotTaken(entry)
  local name = entry.slot or entry.resource
  if entry.closing then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ' .. name .. ' is being deleted'
  elseif entry.isGroup then
    return 'NOT_VALID', 'NOT_VALID: blocker ' .. name .. ' is a group'
  elseif entry.role == 'ancestor' then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ancestor ' .. name .. ' is at capacity'
  elseif entry.role == 'blocker' then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: blocker ' .. name .. (entry.invalid and ' is not valid' or ' is held')
  end
  local own = registry.definition(entry.resource)
  local pool = own and own.capacity > 1
  if not pool or entry.slot and slotMap.recordAt(entry.slot) then
    return 'ALREADY_HELD', 'ALREADY_HELD'
  end
  return 'NOT_AVAILABLE', 'NOT_AVAILABLE'
end

-- Takes the slots of a plan (reservations/plan.lua), all or none.

-- Takes a slot, which is free or held SHARED, for a SHARED reservation.
function planning.takeShared(slot, pool, byName, reservation)
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

-- Takes the further slots of an entry for several slots of a pool: those of the lowest indexes. Notes them in the entry
-- and adds them to the plan. Returns false if too few are free.
local function takeFurther(entry, plan)
  local pool, capacity = entry.resource, registry.definition(entry.resource).capacity
  local further = {}
  entry.further = further
  if freeSlots.heldOf(pool) + entry.count - 1 > capacity then
    return false
  end
  local hold = { owner = entry.owner, refCount = 1, pool = pool, byName = true }
  for i = 1, entry.count - 1 do
    local index
    if tenant.queue then
      index = tenant.queue.unkept(pool, capacity)
    else
      index = freeSlots.lowestFree(pool, capacity)
    end
    if not index then
      return false
    end
    local slot = slotAt(pool, index)
    slotMap.setRecord(slot, hold)
    further[i], plan[#plan + 1] = slot, slot
  end
  return true
end

-- Takes the slots of a plan's entries, in order, and stores the reservation on the resource's own slot; a SHARED one in
-- a field of its own (slots/shared.lua). Returns nil; or the first entry that has no free slot, with nothing taken.
function planning.take(entries, reservation)
  local mark = #slotMap.journal
  local isTaken, plan, names, others = {}, {}, {}, {}
  for i, entry in ipairs(entries) do
    names[i] = entry.slot or entry.resource
  end
  slotMap.readSlots(names)
  for _, entry in ipairs(entries) do
    local slot, isNew
    if not entry.invalid then
      slot, isNew = planning.slotFor(entry)
    end
    if not slot then
      slotMap.undo(mark)
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
        planning.takeShared(slot, pool, entry.slot ~= nil, reservation)
      elseif isNew then
        local hold = isOwnSlot and reservation or { owner = entry.owner, refCount = 1 }
        hold.pool, hold.byName = pool, entry.slot ~= nil
        slotMap.setRecord(slot, hold)
      else
        local hold = slotMap.recordAt(slot)
        slotMap.setRecord(slot, codec.copyWith(hold, { refCount = hold.refCount + 1 }))
      end
    end
    if entry.count and not takeFurther(entry, plan) then
      slotMap.undo(mark)
      return entry
    end
  end
  local slot = reservation.slot
  local hold = not shared.isShare(slot) and slotMap.recordAt(slot)
  if not hold then
    slotMap.setRecord(slot, reservation)
  elseif hold ~= reservation then
    -- The owner already held this slot: for an earlier reservation's plan or, by another name, for an earlier entry.
    reservation.refCount, reservation.pool, reservation.byName = hold.refCount, hold.pool, hold.byName
    slotMap.setRecord(slot, reservation)
  end
  for _, other in ipairs(plan) do
    if other ~= slot then
      others[#others + 1] = other
      others[#others + 1] = '\n'
    end
  end
  reservation.plan = table.concat(others)
end

return planning
