-- Begins a script that is charged as reads.
--@include admit
--@include clock
--@include reads

-- Gives back the reads that the script has charged.
local function refundReads()
  if readsCharged > 0 then
    redis.call('DECRBY', readsCounter(), readsCharged)
  end
end

-- Authenticates the caller, who needs this right, charges the reads and ends what is due. Few calls have something due
-- or are refused, so what they need is made by openRare(): it returns a table with endDue (endDue.lua) and refuse
-- (refuse.lua). ARGV[2] is the number of reads, 0 if they have been charged; scripts whose calls requests share pass
-- chargeSharers() of sharedReads.lua. Returns nil; or the reply that ends the script.
local function read(right, openRare, chargeSharers)
  local refused = admit(right)
  if refused then
    return refused
  end
  local misfit
  if chargeSharers then
    misfit = chargeSharers()
  else
    misfit = chargeReads(tonumber(ARGV[2]))
  end
  if misfit then
    return openRare().refuse(unpack(misfit))
  elseif tenant.queueText or tenant.sessionsText or tenant.nextDue <= nowMs then
    refused = openRare().endDue()
    if refused then
      -- The instance calls again, and charges again.
      refundReads()
    end
  end
  return refused
end
