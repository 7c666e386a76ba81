-- Begins a script that is charged as reads.
--@include admit
--@include clock
--@include reads

-- Authenticates the caller, who needs this right, charges the reads and ends what is due. Few calls have something due
-- or are refused, so what they need is made by openRare(): it returns a table with endDue (endDue.lua) and refuse
-- (refuse.lua). Returns nil; or the reply that ends the script.
local function read(right, cost, openRare)
  local refused = admit(right)
  if refused then
    return refused
  end
  local misfit = chargeReads(cost)
  if misfit then
    return openRare().refuse(unpack(misfit))
  elseif tenant.queueText or tenant.sessionsText or tenant.nextDue <= nowMs then
    refused = openRare().endDue()
    if refused and cost > 0 and limits.readsPerMinute < NO_LIMIT then
      -- The instance calls again, and charges again.
      redis.call('DECRBY', readsCounter(), cost)
    end
  end
  return refused
end
