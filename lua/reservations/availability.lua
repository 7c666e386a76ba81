-- Tells whether a resource is available, what keeps it from new requesters, and whether a reserve would succeed.
local booked = require('bookings/booked')
local conditions = require('slots/conditions')
local freeSlots = require('slots/freeSlots')
local matching = require('reservations/match')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local planning = require('reservations/plan')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local taking = require('reservations/take')
local terms = require('reservations/terms')
local work = require('frame/work')
local availability = {}
-- The shortest lease, in ms.
local SOME_TTL = 1000

-- Returns true if a resource has a free slot that is ready; or one slot of it, which nobody holds, is ready.
local function hasReadySlot(resource, slot, capacity)
  if slot then
    return conditions.at(resource, slot) == 'ready' and freeSlots.heldOf(resource) < capacity
  end
  return conditions.freeOf(resource, capacity, 'ready') > 0
end

-- Returns true if a resource, or one slot of it, has a free slot of its own that is ready, or is a group; its ancestors
-- and blockers do not count. Takes what resolve() returns: a name that is not valid has none.
function availability.hasFreeSlot(resource, slot)
  if not resource then
    return false
  end
  local own = registry.definition(resource)
  if own and own.isGroup then
    return true
  end
  if slotMap.recordAt(slot or resource) and (slot or not own or not own.pooled) then
    return false
  elseif own and own.hasConditions then
    return hasReadySlot(resource, slot, own.capacity)
  end
  return not own or not own.pooled or freeSlots.heldOf(resource) < own.capacity
end

-- Returns the slot whose reservation holds a slot: its own, or that of the resource that takes it along.
local function slotOfHolder(slot)
  local MAX_STEPS = 8
  for _ = 1, MAX_STEPS do
    local record = slotMap.recordAt(slot)
    local by = record and not record.token and slotMap.declarerOf(record.owner)
    local own = by and registry.definition(by)
    if not by or own and own.capacity > 1 then
      return slot
    end
    slot = by
  end
  return slot
end

-- Returns the first blocker in the plan of a resource that is not free for it; nil if there is none.
local function blockerIn(resource)
  local plan, single = planning.newPlan(), {}
  planning.addTo(plan, resource, nil, '', 'own')
  for _, entry in ipairs(plan.entries) do
    local own = not entry.slot and registry.definition(entry.resource)
    if not (own and own.pooled) then
      single[#single + 1] = entry.slot or entry.resource
    end
  end
  slotMap.readSlots(single)
  for _, entry in ipairs(plan.entries) do
    work.spend(1)
    if entry.role == 'blocker' and (entry.invalid or not taking.slotFor(entry)) then
      return entry.slot or entry.resource
    end
  end
end

-- Returns the first blocker in the plan of a resource that is not free for it, and the slot whose reservation is in the
-- way (of a pool: its name, which nobody holds). Returns nil if there is none, or if finding it takes more than a part
-- of the work budget: a plan of some 50 entries fits.
function availability.firstBlocker(resource)
  local PART = 1 / 16
  local before, found = work.done, nil
  work.isOverBudget(function()
    found = blockerIn(resource)
  end, PART)
  work.done = work.done + before
  if found then
    return found, slotOfHolder(found)
  end
end

-- Tries on paper whether a reserve would succeed now (docs/specification.md#check).
-- Sets the sixth field of the results to '1' if a reserve would succeed, else to '0'. Takes an array of {result, name,
-- requester}; the requester '' is a new one, which holds nothing. Adds to them what refuses it: `queue`, the name of
-- the queue in which it would wait, nil if it never would be met; `role`, that of the entry (reservations/plan.lua)
-- which lacks a slot ('closing': it is being deleted; 'booking': it is booked), nil if the slot is free, and kept.
function availability.tryAll(toTry)
  -- The reserve would have the lease and the note that the tenant's settings ask for.
  terms.ignoreTerms()
  for _, one in ipairs(toTry) do
    local result, name, requester = one[1], one[2], one[3]
    local resource, slot = naming.resolve(name)
    local had = requester ~= '' and ownership.reservationOn(resource, slot, requester)
    if had then
      -- An EXCLUSIVE reserve of what its requester holds SHARED would be refused.
      result[6] = shared.isShare(had.slot) and '0' or '1'
    else
      local mark = #slotMap.journal
      -- With some lease: bookings of others may end it.
      local options = resource and booked.isBookable(resource) and { minTtl = SOME_TTL } or nil
      local item = { resource = name, requester = requester, type = '', token = '', options = options }
      local reply, _, queue = matching.reserveOne(item)
      result[6], one.queue = reply[1] == 'ACQUIRED' and '1' or '0', queue
      one.role = reply.bookedFrom and 'booking' or reply.role
      slotMap.undo(mark)
    end
  end
end

return availability
