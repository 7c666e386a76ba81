--@rare
-- Decides which names can be held SHARED (docs/specification.md#shared-holds).
--@include definitions
--@include isShare
--@include isSharedItem

-- Explains why a resource, or one slot of it, cannot be held SHARED; nil if it can.
local function whyNotSharable(resource, slot)
  local own = not slot and definition(resource)
  if own and own.capacity > 1 then
    return string.format(
      'NOT_VALID: %s has %d slots; SHARED needs the name of one, %s_0 to %s_%d', resource, own.capacity, resource, resource,
      own.capacity - 1
    )
  end
end

-- Returns true if what a requester holds is enough for an item: a SHARED reservation is not for one that asks for an
-- EXCLUSIVE one.
local function isEnough(had, item)
  return isSharedItem(item) or not isShare(had.slot)
end
