-- The way of a request that only reads, to its own work. Fields, which read() sets:
--   isSharedCall  true if several requests share the call
--   isMisfit      isMisfit[i]: the i-th item of the call belongs to a request that is refused
local admission = require('frame/admission')
local call = require('frame/call')
local clock = require('frame/clock')
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
local waitingQueue = require('waiting/queue')
local work = require('frame/work')
local reading = {}

-- Commits what has been ended, if anything.
function reading.commitDue()
  if committing.isDueStale or tenant.queue and tenant.queue.isChanged() then
    committing.finish()
  end
end

-- Ends due reservations and commits that. Returns nil; or the reply that ends the call.
local function endDue()
  local refused = expiry.expire()
  if not refused then
    reading.commitDue()
  end
  return refused
end

-- Begins a verb that reads reservations, and charges nothing: admits the caller, who needs this right, and ends what is
-- due. Returns nil; or the reply that ends the call.
function reading.look(right)
  waitingQueue.prepare()
  return admission.admit(right) or endDue()
end

-- Gives back the reads that the call has charged.
local function refundReads()
  if quota.readsCharged > 0 then
    redis.call('DECRBY', quota.readsCounter(), quota.readsCharged)
  end
end

-- Returns the reply that refuses a call which exceeds the work budget. Takes the item's place, from 0. A shared call
-- costs nothing then: the instance sends each of its requests alone.
function reading.tooMuch(place)
  if reading.isSharedCall then
    refundReads()
  end
  return { 'REFUSED', '[' .. place .. '].resource' .. work.TOO_MUCH_WORK }
end

-- Requests that share a call which reads (src/engine/batch.ts). Each is charged and refused on its own, as if it had
-- a call to itself. ARGV[2] is the number of reads of each, with commas between; of only one if the call is not shared.

-- The numbers of the refused ones, from 0 on, each with the arguments of refuse().
local misfits

-- Charges the requests. Returns nil; or, if the call has only one and it does not fit, the arguments of refuse().
local function charge()
  local cost = tonumber(call.args[2])
  reading.isSharedCall, reading.isMisfit, misfits = not cost, {}, {}
  if cost then
    return quota.chargeReads(cost)
  end
  local total = 0
  for one in string.gmatch(call.args[2], '%d+') do
    total = total + one
  end
  if not quota.chargeReads(total) then
    return nil
  end
  local number, last = 0, 0
  for one in string.gmatch(call.args[2], '%d+') do
    local misfit = quota.chargeReads(tonumber(one))
    if misfit then
      misfits[#misfits + 1] = { number, misfit }
      for i = last + 1, last + one do
        reading.isMisfit[i] = true
      end
    end
    number, last = number + 1, last + one
  end
end

-- Begins a verb that is charged as reads: admits the caller, who needs this right, charges the reads and ends what is
-- due. ARGV[2] is the number of reads, 0 if they have been charged. Returns nil; or the reply that ends the call.
function reading.read(right)
  waitingQueue.prepare()
  local refused = admission.admit(right)
  if refused then
    return refused
  end
  local misfit = charge()
  if misfit then
    return quota.refuse(unpack(misfit))
  elseif tenant.queueText or tenant.sessionsText or tenant.nextDue <= clock.nowMs() then
    refused = endDue()
    if refused then
      -- The instance calls again, and charges again.
      refundReads()
    end
  end
  return refused
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

return reading
