-- Begins a script that only looks at reservations.
--@include admit
--@include expiry

-- Authenticates the caller and ends due reservations, which it commits. Returns nil; or the reply that ends the script.
local function look()
  local refused = admit() or expire()
  if not refused and isDueStale then
    finish()
  end
  return refused
end
