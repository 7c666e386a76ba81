-- Begins a script that is charged as reads. ARGV[2] is the number of reads to charge, 0 if they have been charged. If
-- several requests share the call (src/engine/coalesce.ts), it is the number of each, with commas between: each is
-- charged and refused on its own, as if it had a call to itself.
--@include admit
--@include clock
--@include reads
local sharers = not tonumber(ARGV[2])
-- The numbers of the refused ones, from 0 on, each followed by the arguments of refuse().
local misfits = {}
-- isMisfit[i]: the i-th item of the call belongs to a refused one.
local isMisfit = {}

-- Charges the requests. Returns nil; or, if the call has only one and it does not fit, the arguments of refuse().
local function chargeRequests()
  if not sharers then
    return chargeReads(tonumber(ARGV[2]))
  end
  local total = 0
  for cost in string.gmatch(ARGV[2], '%d+') do
    total = total + cost
  end
  if not chargeReads(total) then
    return nil
  end
  local number, last = 0, 0
  for cost in string.gmatch(ARGV[2], '%d+') do
    local misfit = chargeReads(tonumber(cost))
    if misfit then
      misfits[#misfits + 1] = { number, misfit }
      for i = last + 1, last + cost do
        isMisfit[i] = true
      end
    end
    number, last = number + 1, last + cost
  end
end

-- Authenticates the caller, who needs this right, charges the reads and ends what is due. Few calls have something due
-- or are refused, so what they need is made by openRare(): it returns a table with endDue (endDue.lua) and refuse
-- (refuse.lua). Returns nil; or the reply that ends the script.
local function read(right, openRare)
  local refused = admit(right)
  if refused then
    return refused
  end
  local misfit = chargeRequests()
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

-- Adds to the reply of a shared call which requests are refused: JSON, as tell() of shares.lua does.
local function tellMisfits(reply, openRare)
  if sharers then
    local refusals = {}
    for i, misfit in ipairs(misfits) do
      refusals[i] = { misfit[1], unpack(openRare().refuse(unpack(misfit[2]))) }
    end
    reply[#reply + 1] = refusals[1] and cjson.encode(refusals) or ''
  end
  return reply
end
