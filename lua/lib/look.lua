-- Begins a script that only reads reservations.
--@include admit
--@include expiry

-- Authenticates the caller, then ends due reservations and commits that. Returns nil; or the reply that ends the
-- script.
local function look()
  local refused = admit() or expire()
  if not refused and (isDueStale or tenant.queue and tenant.queue.isChanged()) then
    finish()
  end
  return refused
end
