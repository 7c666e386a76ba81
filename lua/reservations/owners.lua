-- Finds what an owner holds: the slot of a pool that it was assigned, and its reservations.
local freeSlots = require('slots/freeSlots')
local naming = require('definitions/names')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local ownership = {}

-- Returns the slot of a resource with several slots that an owner was assigned; false for none.
function ownership.assignedSlot(name, owner)
  local slot = pools.assignedTo(name, owner)
  if slot then
    return slot
  end
  -- It may have been reserved when the resource had one slot.
  local record = slotMap.recordAt(name)
  return record and record.owner == owner and name
end

-- Returns the requester's reservation that a slot belongs to, as its own slot or as one of several (slots/shared.lua),
-- or by which it is held SHARED (slots/shared.lua); nil if there is none.
function ownership.reservationAt(slot, requester)
  local record = slotMap.recordAt(slot)
  if not record then
    return nil
  elseif record.owner ~= requester then
    return shared.isSharedHold(slot, record) and slotMap.recordAt(shared.shareOf(slot, requester)) or nil
  elseif record.token then
    return record
  elseif record.byName then
    local first = ownership.assignedSlot(record.pool, requester)
    local reservation = first and slotMap.recordAt(first)
    if reservation and reservation.token then
      work.spend(#reservation.plan / 1000)
      return string.find('\n' .. reservation.plan, '\n' .. slot .. '\n', 1, true) and reservation or nil
    end
  end
end

-- Returns the requester's reservation of a resource, or of one slot of it; nil if it has none.
function ownership.reservationOn(resource, slot, requester)
  local own = not slot and registry.definition(resource)
  local assigned = own and own.pooled and ownership.assignedSlot(resource, requester)
  return ownership.reservationAt(slot or assigned or resource, requester)
end

-- Returns the requester's reservation of a resource that a name means, if that is not the reservation on the slot of
-- that name. By the name of one slot, only that can be reserved.
local function reservationBehind(name, requester, resource, slot)
  local own = not slot and registry.definition(resource)
  if not slot and (resource ~= name or own and own.pooled) then
    return ownership.reservationOn(resource, nil, requester)
  end
end

-- Returns true if anybody holds a slot of a resource, or one slot.
local function isHeld(resource, slot)
  local own = not slot and registry.definition(resource)
  return own and own.pooled and freeSlots.heldOf(resource) > 0 or slotMap.recordAt(slot or resource)
end

-- Returns the requester's reservation for a name, by the name's meaning now or when it was reserved. That is the
-- reservation on the slot of that name, else the one of the resource, else, if a path no longer leads to its last
-- segment, the one that was reserved by that path. If there is none, returns nil and whether anybody holds a slot of
-- it. Takes what resolve() returns for the name too, if the caller knows it.
function ownership.reservationOf(name, requester, resource, slot)
  local at = ownership.reservationAt(name, requester)
  if at then
    return at
  elseif not resource then
    resource, slot = naming.resolve(name)
  end
  if resource then
    local mine = reservationBehind(name, requester, resource, slot)
    if mine then
      return mine
    end
    return nil, slotMap.recordAt(name) or isHeld(resource, slot)
  end
  local last = naming.lastSegment(name)
  local mine = last and registry.definition(last) and ownership.reservationOn(last, nil, requester)
  if mine and mine.requestedName == name then
    return mine
  end
  return nil, slotMap.recordAt(name)
end

-- Returns the resource that a reservation holds, and its slot of it. The resource is nil if what it holds SHARED is no
-- name any more.
function ownership.heldBy(reservation)
  if reservation.pool ~= '' then
    return reservation.pool, reservation.slot
  elseif not shared.isShare(reservation.slot) then
    return reservation.slot, reservation.slot
  end
  local slot = string.match(reservation.slot, '^[^\1]*')
  return naming.resolve(slot), slot
end

-- Returns when a reservation ends, in ms, 0 never: one of a session ends with it.
function ownership.endOf(reservation)
  local session = reservation.session and tenant.sessions and tenant.sessions.at(reservation.session)
  return session and session.expiresAt or reservation.expiresAt
end

return ownership
