-- Checks whether a resource is available.
--@include held
--@include names

-- Returns true if a resource, or one slot of it, has a free slot of its own, or is a group; its ancestors and blockers
-- do not count. Takes what resolve() returns: a name that is not valid has none.
local function hasFreeSlot(resource, slot)
  if not resource then
    return false
  end
  local own = definition(resource)
  if own and own.isGroup then
    return true
  end
  if recordAt(slot or resource) and (slot or not own or not own.pooled) then
    return false
  end
  return not own or not own.pooled or heldOf(resource) < own.capacity
end
