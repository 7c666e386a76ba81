-- Checks whether a request can ever be granted. If not, the request is refused at once, and its ticket ends.
local holders = require('waiting/holders')
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
  for _, slot in ipairs(holders.heldSlotsOf(resource)) do
    count = count + (isThere(slot, slotMap.recordAt(slot)) and 1 or 0)
  end
  return count
end

-- Meets one entry of a plan in the world of fits(). Returns true if that is possible.
local function fitsEntry(world, entry, requester)
  local owner, resource = needs.ownerOf(entry, requester), entry.resource
  local own, owners, isThere = registry.definition(resource), world.owners, world.isThere
  local isPool, isFurther = own and own.pooled and not entry.slot, entry.role == 'further'
  local name = isPool and resource .. '\n' .. owner or entry.slot or resource
  if isFurther then
    name = name .. '\n' .. entry.left
  end
  work.spend(1)
  local record = not isPool and slotMap.recordAt(name)
  local holder = owners[name] or record and isThere(name, record) and record.owner
  if isPool and not holder and not isFurther then
    local slot = ownership.assignedSlot(resource, owner)
    record = slot and slotMap.recordAt(slot)
    holder = record and isThere(slot, record) and owner
  end
  if holder then
    return holder == owner or entry.isShared and holder == requester
  end
  owners[name] = owner
  if isPool and own.capacity == 1 then
    owners[resource] = owner
  elseif isPool then
    local slot, index = lowestIn(resource, world)
    if index >= own.capacity then
      return false
    end
    owners[slot] = owner
  end
  local count = (world.counts[resource] or isThere ~= isNeverThere and countThere(resource, isThere) or 0) + 1
  world.counts[resource] = count
  return count <= (own and own.capacity or 1)
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

-- Returns true if the request of a ticket could be granted if nothing were held, and also if only what its requester
-- holds were held, itself or along with its reservations. Else waiting would never end.
function feasible.isFeasible(requester, method, items)
  local function isMine(slot, record)
    return holders.isHeldThrough(requester, slot, record.owner, 0)
  end
  -- all: the plans of all items. lacked: the plans of the items that the requester does not hold yet.
  local all, lacked = {}, {}
  for i, item in ipairs(items) do
    local resource, slot = naming.resolve(item.resource)
    local entries = needs.planOf(item)
    local isValid = entries and needs.isPlanValid(entries)
    local isHad = needs.hadFor(item, requester) ~= nil
    local isInTheWay = not isHad and resource and ownership.reservationOn(resource, slot, requester)
    local isAgain = i > 1 and needs.isRepeated(items, i)
    if method == 'FIRST' then
      local mayBe = isValid and not isInTheWay
      if isHad or mayBe and fits({ entries }, requester, isNeverThere) and fits({ entries }, requester, isMine) then
        return true
      end
    elseif isInTheWay or not isValid and not isAgain then
      return false
    end
    if not isAgain then
      all[#all + 1] = entries or {}
      lacked[#lacked + 1] = not isHad and entries or nil
    end
  end
  return method ~= 'FIRST' and fits(all, requester, isNeverThere) and fits(lacked, requester, isMine)
end

return feasible
