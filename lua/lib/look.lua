-- Begins a script that only reads reservations.
--@include admit
--@include endDue

-- Authenticates the caller, then ends due reservations and commits that. Returns nil; or the reply that ends the
-- script.
local function look()
  return admit() or endDue()
end
