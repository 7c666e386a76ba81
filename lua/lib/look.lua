-- Begins a script that only reads reservations.
--@include admit
--@include endDue

-- Takes the right that the caller needs. Authenticates the caller, then ends due reservations and commits that. Returns
-- nil; or the reply that ends the script.
local function look(right)
  return admit(right) or endDue()
end
