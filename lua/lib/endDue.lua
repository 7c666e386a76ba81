-- Ends what is due, in a script that only reads.
--@include expiry

-- Ends due reservations and commits that. Returns nil; or the reply that ends the script.
local function endDue()
  local refused = expire()
  if not refused and (isDueStale or tenant.queue and tenant.queue.isChanged()) then
    finish()
  end
  return refused
end
