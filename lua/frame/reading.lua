-- The way of a request that only reads, to its own work. Fields, of verbs that are charged:
--   isBatch       true if the call is a batch: several requests
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

-- Returns a verb that reads reservations, and charges nothing: it admits the caller, who needs this right, ends what is
-- due, and then does what a function does, which takes keys and arguments. It changes no name, also if the right is one
-- to change something.
function reading.freeVerb(right, run)
  return function(keys, args)
    waitingQueue.prepare()
    return admission.admit(right, {}) or endDue() or run(keys, args)
  end
end

-- Gives back the reads that the call has charged.
local function refundReads()
  if quota.readsCharged > 0 then
    redis.call('DECRBY', quota.readsCounter(), quota.readsCharged)
  end
end

-- Returns the reply that refuses a call which exceeds the work budget. Takes the item's place, from 0. A batch
-- costs nothing then: the instance sends each of its requests alone.
function reading.tooMuch(place)
  if reading.isBatch then
    refundReads()
  end
  return { 'REFUSED', '[' .. place .. '].resource' .. work.TOO_MUCH_WORK }
end

-- The requests of a batch that reads (src/engine/batch.ts). Each is charged and refused on its own, as if it had
-- a call to itself. ARGV[2] is the number of reads of each, with commas between; of only one if the call is no batch.

-- The numbers of the refused ones, from 0 on, each with the arguments of refuse().
local misfits

-- Charges the requests. Returns nil; or, if the call has only one and it does not fit, the arguments of refuse().
local function charge()
  local cost = tonumber(call.args[2])
  reading.isBatch, reading.isMisfit, misfits = not cost, {}, {}
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

-- Begins a verb that is charged as reads. Returns nil; or the reply that ends the call.
local function begin(right)
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

-- Returns a verb that is charged as reads: it admits the caller, who needs this right, charges the reads, ends what is
-- due, and then does what a function does, which takes keys and arguments. ARGV[2] is the number of reads, 0 if they
-- have been charged; of a batch, those of each request, with commas between.
function reading.verb(right, run)
  return function(keys, args)
    return begin(right) or run(keys, args)
  end
end

-- Walks a page of a hash from a cursor on, in steps: visit() takes the fields and values of one. The page ends after
-- about so many fields, or after too many bytes. Returns the cursor of the next page, '0' at the end.
function reading.scan(key, cursor, most, visit)
  -- A record may be tens of kilobytes long, so few are read at a time.
  local STEP, MAX_BYTES = 25, 262144
  local looked, bytes = 0, 0
  repeat
    local page = redis.call('HSCAN', key, cursor, 'COUNT', STEP)
    cursor = page[1]
    -- Scanning an empty part of the hash costs time too.
    looked = looked + math.max(STEP / 5, #page[2] / 2)
    for _, text in ipairs(page[2]) do
      bytes = bytes + #text
    end
    visit(page[2])
  until cursor == '0' or looked >= most or bytes > MAX_BYTES
  return cursor
end

-- Adds to the reply of a batch which requests are refused: JSON, as tell() of frame/batch.lua does.
function reading.tellMisfits(reply)
  if reading.isBatch then
    local refusals = {}
    for i, misfit in ipairs(misfits) do
      refusals[i] = { misfit[1], unpack(quota.refuse(unpack(misfit[2]))) }
    end
    reply[#reply + 1] = refusals[1] and cjson.encode(refusals) or ''
  end
  return reply
end

return reading
