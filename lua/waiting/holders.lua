-- Whether a requester holds something, itself or through one of its reservations.
local ownership = require('reservations/owners')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local work = require('frame/work')
local holders = {}

-- Returns true if a requester's reservations need the hold of an owner at a slot. A hold of system:<resource> is needed
-- by whoever holds the resource.
function holders.isHeldThrough(requester, slot, owner, depth)
  if owner == requester then
    return true
  end
  local MAX_DEPTH = 6
  local declarer = string.match(owner, '^system:(.+)$')
  return declarer ~= nil and depth < MAX_DEPTH and holders.holds(requester, declarer, depth + 1, slot)
end

-- Returns the held slots of a resource, also those that it has from an earlier capacity. Of a pool with many slots,
-- none is looked at, and of the others, only those below a limit are.
function holders.heldSlotsOf(name)
  local MAX_SEARCHED, STEP = 32, 16
  local own = registry.definition(name)
  local found = { slotMap.recordAt(name) and name or nil }
  local left = own and own.pooled and own.capacity <= MAX_SEARCHED and pools.poolOf(name).held or 0
  for from = 0, MAX_SEARCHED - STEP, STEP do
    if left == 0 then
      break
    end
    local slots = {}
    for i = 1, STEP do
      slots[i] = name .. '_' .. from + i - 1
    end
    work.spend(1)
    slotMap.readSlots(slots)
    for _, slot in ipairs(slots) do
      local record = slotMap.recordAt(slot)
      if record and record.pool == name then
        left = left - 1
        found[#found + 1] = slot
      end
    end
  end
  return found
end

-- Returns true if a hold of a requester may be why a blocker's slot is held. It is not if it is a reservation, no other
-- one uses it, and its plan does not have the slot; nor if it is a further slot of a reservation, of which the first
-- one is looked at. Slot nil: any will do.
local function isReason(record, slot)
  if slot and slotMap.isFurther(record) then
    return false
  end
  return not slot or not record.token or record.refCount > 1 or
    string.find('\n' .. record.plan, '\n' .. slot .. '\n', 1, true) ~= nil
end

-- Returns true if a requester holds a resource, or one slot of it, itself or through one of its reservations. If a
-- blocker's slot is given, only the holds count that may be why it is held.
function holders.holds(requester, name, depth, blocked)
  local own = registry.definition(name)
  work.spend(1)
  local assigned = own and own.pooled and ownership.assignedSlot(name, requester)
  if assigned and isReason(slotMap.recordAt(assigned), blocked) then
    return true
  end
  for _, slot in ipairs(holders.heldSlotsOf(name)) do
    local record = slotMap.recordAt(slot)
    if shared.isSharedHold(slot, record) then
      local share = slotMap.recordAt(shared.shareOf(slot, requester))
      if share and isReason(share, blocked) then
        return true
      end
    elseif record.owner == requester and isReason(record, blocked) or
      record.owner ~= requester and holders.isHeldThrough(requester, blocked or slot, record.owner, depth) then
      return true
    end
  end
  return false
end

return holders
