-- Who holds what (docs/specification.md#waiting-order): from whom nothing is kept, since a next ticket waits for what
-- they hold, themselves or through one of their reservations; and whether a request can ever be granted, besides what
-- its requester holds.
local lines = require('waiting/lines')
local heldSlots = require('waiting/heldSlots')
local queues = require('waiting/queues')
local matching = require('reservations/match')
local naming = require('definitions/names')
local needs = require('waiting/needs')
local ownership = require('reservations/owners')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tickets = require('waiting/tickets')
local turns = require('waiting/turns')
local waitsFor = require('waiting/waitsFor')
local work = require('frame/work')
local exempt, holds = {}, nil

-- Returns true if a requester's reservations need the hold of an owner at a slot. A hold of system:<resource> is needed
-- by whoever holds the resource.
function exempt.isHeldThrough(requester, slot, owner, depth)
  if owner == requester then
    return true
  end
  local MAX_DEPTH = 6
  local declarer = slotMap.declarerOf(owner)
  return declarer ~= nil and depth < MAX_DEPTH and holds(requester, declarer, depth + 1, slot)
end

-- Returns true if a hold of a requester may be why a blocker's slot is held. It is not if it is a reservation, no other
-- one uses it, and its plan does not have the slot; nor if it is another slot of a reservation, of which the first
-- one is looked at. Slot nil: any will do.
local function isReason(record, slot)
  if slot and slotMap.isMoreSlot(record) then
    return false
  end
  return not slot or not record.token or record.refCount > 1 or
    string.find('\n' .. record.plan, '\n' .. slot .. '\n', 1, true) ~= nil
end

-- Returns true if a requester holds a resource, or one slot of it, itself or through one of its reservations. If a
-- blocker's slot is given, only the holds count that may be why it is held.
function holds(requester, name, depth, blocked)
  local own = registry.definition(name)
  work.spend(1)
  local assigned = own and own.pooled and ownership.assignedSlot(name, requester)
  if assigned and isReason(slotMap.recordAt(assigned), blocked) then
    return true
  end
  for _, slot in ipairs(heldSlots.of(name)) do
    local record = slotMap.recordAt(slot)
    if shared.isSharedHold(slot, record) then
      local part = slotMap.recordAt(shared.shareOf(slot, requester))
      if part and isReason(part, blocked) then
        return true
      end
    elseif record.owner == requester and isReason(record, blocked) or
      record.owner ~= requester and exempt.isHeldThrough(requester, blocked or slot, record.owner, depth) then
      return true
    end
  end
  return false
end

-- Returns what a ticket waits for now, as waitsFor.now(). It does not wait to join what its requester uses.
function exempt.waitsForNow(ticket)
  local name, joined = waitsFor.now(ticket)
  if joined then
    local owner = needs.ownerOf(joined, ticket.requester)
    local slot = joined.slot or ownership.assignedSlot(joined.resource, owner) or joined.resource
    if exempt.isHeldThrough(ticket.requester, slot, owner, 0) then
      return nil
    end
  end
  return name
end

-- Returns true if a requester holds a slot of a line, whatever its condition is now.
local function holdsNow(requester, queue)
  local name, all = lines.lineOf(queue), turns.knownNow().held
  local held = all[requester] or {}
  all[requester] = held
  if held[name] == nil then
    held[name] = holds(requester, name, 0)
  end
  return held[name]
end

-- Returns true if a ticket may wait for one of its queues: fewer slots are free there than it asks for, or it was
-- refused there.
local function mayWaitFor(ticket, name)
  local wanted = #needs.entriesIn(ticket, name)
  return name == ticket.waitsFor or wanted > 0 and waitsFor.freeFor(ticket, name, wanted) < wanted
end

-- Returns true if a requester holds what a ticket waits for. The requester's own ticket does not count.
local function isWaitedForBy(ticket, requester)
  if ticket.order == exempt.rank then
    return false
  end
  work.spend(#ticket.queues / 4)
  for _, queue in ipairs(ticket.queues) do
    -- Most requesters hold none of these queues, which takes least time to see.
    if mayWaitFor(ticket, queue) and holdsNow(requester, queue) then
      local name = turns.isNext(ticket) and exempt.waitsForNow(ticket)
      return name and holdsNow(requester, name) or false
    end
  end
  return false
end

-- Returns true if nothing is kept from a requester, since a next ticket waits for what it holds: it must be able to
-- finish. `keepers` are the tickets that keep what it asks for; they are looked at first, then 64 at the front of the
-- queue.
function exempt.isExempt(requester, keepers)
  local MAX_NEXT = 64
  for _, ticket in ipairs(keepers) do
    if isWaitedForBy(ticket, requester) then
      return true
    end
  end
  for n = 1, MAX_NEXT do
    local order = queues.nthOf('\1', n)
    local ticket = order and tickets.ticketAt(order, queues.nthOf('\1', n + 1))
    if not order then
      break
    elseif ticket and isWaitedForBy(ticket, requester) then
      return true
    end
  end
  return false
end

-- Checks whether a request can ever be granted. If not, the request is refused at once, and its ticket ends.
local function isNeverThere()
  return false
end

-- Returns the slot of a pool with the lowest number that nobody has, in the world of fits().
local function lowestIn(pool, world)
  -- Slots below the one that was found last are taken.
  local slotNumber, owners = world.from[pool] or 0, world.owners
  while true do
    local slot = pool .. '_' .. slotNumber
    local record = not owners[slot] and slotMap.recordAt(slot)
    work.spend(1)
    if not owners[slot] and not (record and world.isThere(slot, record)) then
      world.from[pool] = slotNumber
      return slot, slotNumber
    end
    slotNumber = slotNumber + 1
  end
end

-- Returns how many slots of a resource are held in the world of fits().
local function countThere(resource, isThere)
  local count = 0
  for _, slot in ipairs(isThere ~= isNeverThere and heldSlots.of(resource) or {}) do
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
  elseif isPool and entry.role ~= 'moreSlot' then
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
  local slot, slotNumber = lowestIn(pool, world)
  world.owners[slot] = owner
  return slotNumber < capacity
end

-- Meets one entry of a plan in the world of fits(). Returns true if that is possible.
local function fitsEntry(world, entry, requester)
  local owner, resource, counts = needs.ownerOf(entry, requester), entry.resource, world.counts
  local own = registry.definition(resource) or { capacity = 1 }
  local isPool = own.pooled and not entry.slot
  local name = isPool and resource .. '\n' .. owner or entry.slot or resource
  if entry.role == 'moreSlot' then
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
-- requester has what it asks for (isHad), has it by an item before (isAgain), or has less of it (isInTheWay). Of a
-- match it is only asked whether a resource fits.
local function lookAtItem(requester, item, isAgain, look)
  if tickets.matchOf(item) then
    return { entries = {}, isValid = matching.isAnyFitting(item, look) }
  end
  local resource, slot = naming.resolve(item.resource)
  local entries = needs.planOf(item)
  local isHad = needs.hadFor(item, requester) ~= nil
  return {
    entries = entries, isHad = isHad, isAgain = isAgain,
    isValid = entries and needs.isPlanValid(entries),
    isInTheWay = not isHad and resource and ownership.reservationOn(resource, slot, requester) ~= nil,
  }
end

-- Returns true if the request of a ticket could be granted if nothing were held, and also if only what its requester
-- holds were held, itself or along with its reservations. Else waiting would never end.
function exempt.isFeasible(requester, method, items)
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
  local all, lacked, isFirst, repeated = {}, {}, method == 'FIRST', needs.repeatedIn(items)
  local look = matching.newLook()
  for i, item in ipairs(items) do
    local one = lookAtItem(requester, item, repeated[i], look)
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

function exempt.open()
  -- The order of the ticket whose request is judged; nil for a request without one.
  exempt.rank = nil
end

return exempt
