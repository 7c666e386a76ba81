-- Finds the slot of a pool that an owner was assigned.
local freeSlots = require('slots/freeSlots')
local keys = require('frame/keys')
local naming = require('definitions/names')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local ownership = {}

-- Returns the slot of a pool that an owner was assigned; false for none.
function ownership.assignedSlot(name, owner)
  local pool = pools.poolOf(name)
  local slot = pool.assigned[owner]
  if slot == nil then
    slot = false
    if pool.stored > 0 then
      work.spend(1)
      slot = redis.call('HGET', keys.pools, name .. '\n' .. owner)
    end
    pool.assigned[owner] = slot
  end
  if slot then
    return slot
  end
  local record = slotMap.recordAt(name)
  return record and record.owner == owner and name
end

-- Finds the slots of an owner.

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
  local own = registry.definition(resource)
  return ownership.reservationAt(slot or (own and own.pooled and ownership.assignedSlot(resource, requester) or resource), requester)
end

-- Finds a requester's reservation by a name.

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
    local own = registry.definition(resource)
    -- By the name of one slot, only that can be reserved.
    local mine = not slot and (resource ~= name or own and own.pooled) and ownership.reservationOn(resource, nil, requester)
    if mine then
      return mine
    end
    return nil, slotMap.recordAt(name) or not slot and own and own.pooled and freeSlots.heldOf(resource) > 0 or slotMap.recordAt(slot or resource)
  end
  local last = naming.lastSegment(name)
  local mine = last and registry.definition(last) and ownership.reservationOn(last, nil, requester)
  if mine and mine.requestedName == name then
    return mine
  end
  return nil, slotMap.recordAt(name)
end

-- Returns when a reservation ends, in ms, 0 never: one of a session ends with it.
function ownership.endOf(reservation)
  local session = reservation.session and tenant.sessions and tenant.sessions.at(reservation.session)
  return session and session.expiresAt or reservation.expiresAt
end

return ownership
