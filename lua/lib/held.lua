--@rare
-- Counts the held slots of resources.
--@include slots

-- Returns the number of held slots of a resource, including slots that are still held from an earlier capacity.
local function heldOf(name)
  return poolOf(name).held + (recordAt(name) and 1 or 0)
end
