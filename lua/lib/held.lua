-- Counts the held slots of resources.
--@include slots

-- Returns the number of slots of a resource that are held, including those whose names it had with another capacity.
local function heldOf(name)
  return poolOf(name).held + (recordAt(name) and 1 or 0)
end
