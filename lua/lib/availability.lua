-- Checks whether a resource is available.
--@include held
--@include names

-- Returns true if the resource has a free slot of its own, or is a group; its ancestors and blockers do not count. A
-- name that is not valid has none.
local function hasFreeSlot(name)
  local resource, slot = resolve(name)
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
