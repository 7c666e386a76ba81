-- Whether a requester holds something, itself or through one of its reservations.
--@include owners
--@include waiting/needs

local holds

-- Returns true if a requester's reservations need a hold of an owner. A hold of system:<resource> is needed by whoever
-- holds the resource.
local function isHeldThrough(requester, owner, depth)
  if owner == requester then
    return true
  end
  local MAX_DEPTH = 6
  local declarer = string.match(owner, '^system:(.+)$')
  return declarer ~= nil and depth < MAX_DEPTH and holds(requester, declarer, depth + 1)
end

-- Returns true if a requester holds a resource, or one slot of it, itself or through one of its reservations.
holds = function(requester, name, depth)
  -- Pools with more slots are not searched for slots that are held by name or by system requesters.
  local MAX_SEARCHED = 32
  local own = definition(name)
  spend(1)
  if not own or not own.pooled then
    local record = recordAt(name)
    return record and isHeldThrough(requester, record.owner, depth) or false
  elseif assignedSlot(name, requester) then
    return true
  elseif own.capacity > MAX_SEARCHED then
    return false
  end
  local slots = {}
  for i = 1, own.capacity do
    slots[i] = name .. '_' .. i - 1
  end
  readSlots(slots)
  for _, slot in ipairs(slots) do
    local record = recordAt(slot)
    if record and isHeldThrough(requester, record.owner, depth) then
      return true
    end
  end
  return false
end
