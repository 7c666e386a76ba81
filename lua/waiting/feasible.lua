-- Checks whether a request can ever be granted. If not, the request is refused at once, and its ticket ends.
local exempt = require('waiting/exempt')
local naming = require('definitions/names')
local needs = require('waiting/needs')
local ownership = require('reservations/owners')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local work = require('frame/work')
local feasible = {}

local function isNeverThere()
  return false
end

-- Returns the slot of a pool with the lowest index that nobody has, in the world of fits().
local function lowestIn(pool, world)
  -- Slots below the one that was found last are taken.
  local index, owners = world.from[pool] or 0, world.owners
  while true do
    local slot = pool .. '_' .. index
    local record = not owners[slot] and slotMap.recordAt(slot)
    work.spend(1)
    if not owners[slot] and not (record and world.isThere(slot, record)) then
      world.from[pool] = index
      return slot, index
    end
    index = index + 1
  end
end

-- Returns how many slots of a resource are held in the world of fits().
local function countThere(resource, isThere)
  local count = 0
  for _, slot in ipairs(isThere ~= isNeverThere and exempt.heldSlotsOf(resource) or {}) do
    count = count + (isThere(slot, slotMap.recordAt(slot)) and 1 or 0)
  end
  return count
end

-- Returns who has the slot of an entry in the world of fits(), by the name under which the world notes it; nil if
-- nobody has.
local function holderOf(world, entry, owner, name, isPool)
  local record = not isPool and slotMap.recordAt(name)
  if world.owners[name] or record and world.isThere(name, record) then
    return world.owners[name] or record.owner
  elseif isPool and entry.role ~= 'further' then
    local slot = ownership.assignedSlot(entry.resource, owner)
    record = slot and slotMap.recordAt(slot)
    return record and world.isThere(slot, record) and owner or nil
  end
end

-- Takes a slot of a pool for an owner in the world of fits(). Returns false if none is free.
local function takeOfPool(world, pool, capacity, owner)
  if capacity == 1 then
    world.owners[pool] = owner
    return true
  end
  local slot, index = lowestIn(pool, world)
  world.owners[slot] = owner
  return index < capacity
end

-- Meets one entry of a plan in the world of fits(). Returns true if that is possible.
local function fitsEntry(world, entry, requester)
  local owner, resource, counts = needs.ownerOf(entry, requester), entry.resource, world.counts
  local own = registry.definition(resource) or { capacity = 1 }
  local isPool = own.pooled and not entry.slot
  local name = isPool and resource .. '\n' .. owner or entry.slot or resource
  if entry.role == 'further' then
    name = name .. '\n' .. entry.left
  end
  work.spend(1)
  local holder = holderOf(world, entry, owner, name, isPool)
  if holder then
    return holder == owner or entry.isShared and holder == requester
  end
  world.owners[name] = owner
  if isPool and not takeOfPool(world, resource, own.capacity, owner) then
    return false
  end
  counts[resource] = (counts[resource] or countThere(resource, world.isThere)) + 1
  return counts[resource] <= own.capacity
end

-- Tries to meet plans in a world where only some holds exist. isThere(slot, record) tells whether one exists in it.
local function fits(listOfEntries, requester, isThere)
  local world = { owners = {}, counts = {}, from = {}, isThere = isThere }
  for _, entries in ipairs(listOfEntries) do
    for _, entry in ipairs(entries) do
      if not fitsEntry(world, entry, requester) then
        return false
      end
    end
  end
  return true
end

-- Returns what isFeasible() asks of an item: its plan, false if it has none; whether that is valid; whether its
-- requester has what it asks for (isHad), has it by an item before (isAgain), or has less of it (isInTheWay).
local function lookAtItem(requester, items, i)
  local item = items[i]
  local resource, slot = naming.resolve(item.resource)
  local entries = needs.planOf(item)
  local isHad = needs.hadFor(item, requester) ~= nil
  return {
    entries = entries, isHad = isHad, isAgain = i > 1 and needs.isRepeated(items, i),
    isValid = entries and needs.isPlanValid(entries),
    isInTheWay = not isHad and resource and ownership.reservationOn(resource, slot, requester) ~= nil,
  }
end

-- Returns true if the request of a ticket could be granted if nothing were held, and also if only what its requester
-- holds were held, itself or along with its reservations. Else waiting would never end.
function feasible.isFeasible(requester, method, items)
  local function isMine(slot, record)
    return exempt.isHeldThrough(requester, slot, record.owner, 0)
  end
  local function mayFit(all, lacked)
    return fits(all, requester, isNeverThere) and fits(lacked, requester, isMine)
  end
  local function mayBeMet(one)
    return one.isHad or one.isValid and not one.isInTheWay and mayFit({ one.entries }, { one.entries })
  end
  -- all: the plans of all items. lacked: the plans of the items that the requester does not hold yet.
  local all, lacked, isFirst = {}, {}, method == 'FIRST'
  for i = 1, #items do
    local one = lookAtItem(requester, items, i)
    if isFirst and mayBeMet(one) then
      return true
    elseif not isFirst and (one.isInTheWay or not one.isValid and not one.isAgain) then
      return false
    end
    if not one.isAgain then
      all[#all + 1] = one.entries or {}
      lacked[#lacked + 1] = not one.isHad and one.entries or nil
    end
  end
  return not isFirst and mayFit(all, lacked)
end

return feasible
