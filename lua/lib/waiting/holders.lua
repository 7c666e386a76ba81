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

-- Returns the records of the held slots of a resource, also of those that it has from an earlier capacity. Of a pool
-- with many slots, only its slots below a limit are looked at, or none.
local function recordsOf(name)
  local MAX_SEARCHED, STEP = 32, 16
  local own, record = definition(name), recordAt(name)
  local found = { record or nil }
  local left = own and own.pooled and own.capacity <= MAX_SEARCHED and poolOf(name).held or 0
  for from = 0, MAX_SEARCHED - STEP, STEP do
    if left == 0 then
      break
    end
    local slots = {}
    for i = 1, STEP do
      slots[i] = name .. '_' .. from + i - 1
    end
    spend(1)
    readSlots(slots)
    for _, slot in ipairs(slots) do
      record = recordAt(slot)
      if record and record.pool == name then
        left = left - 1
        found[#found + 1] = record
      end
    end
  end
  return found
end

-- Returns true if a requester holds a resource, or one slot of it, itself or through one of its reservations.
holds = function(requester, name, depth)
  local own = definition(name)
  spend(1)
  if own and own.pooled and assignedSlot(name, requester) then
    return true
  end
  for _, record in ipairs(recordsOf(name)) do
    if isHeldThrough(requester, record.owner, depth) then
      return true
    end
  end
  return false
end
