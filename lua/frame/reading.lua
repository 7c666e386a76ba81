-- Ends what is due, in a script that only reads.
local admission = require('frame/admission')
local call = require('frame/call')
local clock = require('frame/clock')
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
local reading = {}

-- Ends due reservations and commits that. Returns nil; or the reply that ends the script.
function reading.endDue()
  local refused = expiry.expire()
  if not refused and (committing.isDueStale or tenant.queue and tenant.queue.isChanged()) then
    committing.finish()
  end
  return refused
end

-- Begins a script that is charged as reads.

-- Gives back the reads that the script has charged.
function reading.refundReads()
  if quota.readsCharged > 0 then
    redis.call('DECRBY', quota.readsCounter(), quota.readsCharged)
  end
end

-- Authenticates the caller, who needs this right, charges the reads and ends what is due. ARGV[2] is the number of
-- reads, 0 if they have been charged; scripts whose calls requests share pass chargeSharers() of frame/reading.lua.
-- Returns nil; or the reply that ends the script.
function reading.read(right, chargeSharers)
  local refused = admission.admit(right)
  if refused then
    return refused
  end
  local misfit
  if chargeSharers then
    misfit = chargeSharers()
  else
    misfit = quota.chargeReads(tonumber(call.args[2]))
  end
  if misfit then
    return quota.refuse(unpack(misfit))
  elseif tenant.queueText or tenant.sessionsText or tenant.nextDue <= clock.nowMs() then
    refused = reading.endDue()
    if refused then
      -- The instance calls again, and charges again.
      reading.refundReads()
    end
  end
  return refused
end

-- Requests that share a call which reads (src/engine/coalesce.ts). Each is charged and refused on its own, as if it had
-- a call to itself. ARGV[2] is the number of reads of each, with commas between; of only one if the call is not shared.

-- The numbers of the refused ones, from 0 on, each with the arguments of refuse().
local misfits

-- Charges the requests. Returns nil; or, if the call has only one and it does not fit, the arguments of refuse().
function reading.chargeSharers()
  if not reading.isSharedCall then
    return quota.chargeReads(tonumber(call.args[2]))
  end
  local total = 0
  for cost in string.gmatch(call.args[2], '%d+') do
    total = total + cost
  end
  if not quota.chargeReads(total) then
    return nil
  end
  local number, last = 0, 0
  for cost in string.gmatch(call.args[2], '%d+') do
    local misfit = quota.chargeReads(tonumber(cost))
    if misfit then
      misfits[#misfits + 1] = { number, misfit }
      for i = last + 1, last + cost do
        reading.isMisfit[i] = true
      end
    end
    number, last = number + 1, last + cost
  end
end

-- Adds to the reply of a shared call which requests are refused: JSON, as tell() of frame/shares.lua does.
function reading.tellMisfits(reply)
  if reading.isSharedCall then
    local refusals = {}
    for i, misfit in ipairs(misfits) do
      refusals[i] = { misfit[1], unpack(quota.refuse(unpack(misfit[2]))) }
    end
    reply[#reply + 1] = refusals[1] and cjson.encode(refusals) or ''
  end
  return reply
end

function reading.begin()
  reading.isSharedCall = not tonumber(call.args[2])
  misfits = {}
  -- isMisfit[i]: the i-th item of the call belongs to a refused one.
  reading.isMisfit = {}
end

return reading
