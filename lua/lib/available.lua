-- Whether a name has a free slot of its own, whatever its ancestors and blockers are up to. A name that is not valid
-- has none.
--@include definitions
local function isAvailable(name)
  local resource, slot = resolve(name)
  if not resource or at(slot or resource) and (slot or not definition(resource) or not definition(resource).pooled) then
    return false
  end
  local own = definition(resource)
  return not own or not own.pooled or heldOf(resource) < own.capacity
end
