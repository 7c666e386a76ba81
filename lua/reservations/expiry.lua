-- Ends due reservations (docs/specification.md#expiry). Every verb that reads slots does this first, by expire(), so
-- none ever sees an expired reservation. Field: leasesEnded, the number of leases that this call ended.
local booked = require('bookings/booked')
local clock = require('frame/clock')
local committing = require('frame/commit')
local conditionEvents = require('events/conditions')
local events = require('events/events')
local history = require('history/ended')
local keys = require('frame/keys')
local naming = require('definitions/names')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local releasing = require('reservations/release')
local slotMap = require('slots/slots')
local starts = require('bookings/starts')
local tenant = require('frame/tenant')
local work = require('frame/work')
local expiry = {}

-- Limits for one call: reservations ended, and work spent on ending them.
local MAX_ENDED, MAX_EXPIRY_WORK = 100, 1500

-- Returns the reservation on a slot of the due set; nil if it is not due now.
local function dueReservation(slot)
  local record = slotMap.recordAt(slot)
  return record and record.token and record.expiresAt > 0 and record.expiresAt <= clock.nowMs() and record or nil
end

-- Drops a due entry that is wrong, which must not make every script of the tenant fail for ever. A lease that a booking
-- of this call has extended is due later.
local function dropDue(slot)
  if slotMap.original[slot] == nil then
    redis.call('ZREM', keys.due, slot)
    releasing.report('slot ' .. slot .. ': it was due, and has no lease that is')
  end
end

-- Ends the lease of the reservation on a slot; or `held`, a reservation of a session that is over: `endedBy` is the
-- session if its caller ended it, nil if it was due.
function expiry.endLease(slot, held, endedBy)
  local ended = held or dueReservation(slot)
  if not ended then
    dropDue(slot)
    return
  end
  expiry.leasesEnded = expiry.leasesEnded + 1
  history.howEnded = history.howEnded or {}
  history.howEnded[ended.fence] = { held and 'S' or 'E', endedBy and endedBy.actor }
  releasing.release(ended, nil, endedBy and endedBy.actor)
  work.spend(5)
  local event = {
    requestType = endedBy and 'UNRESERVE' or 'EXPIRE', resource = ended.requestedName, requester = ended.owner,
    explanation = 'EXPIRED', resourceType = ended.type,
    apiKeyLabel = endedBy and endedBy.label or ended.label, actor = endedBy and endedBy.actor,
  }
  if not endedBy then
    events.emit('RESERVATION_EXPIRED', event)
  end
  event.explanation = 'RELINQUISHED'
  events.emit('UNRESERVED', event)
  conditionEvents.emit()
end

-- Returns the first members of a sorted set that are due: member, ms, ...
local function dueOf(key)
  return redis.call('ZRANGE', key, '-inf', clock.nowMs(), 'BYSCORE', 'LIMIT', 0, MAX_ENDED, 'WITHSCORES')
end

-- Ends those of some due reservations, from a place on, that were due by a time in ms. Returns the place of the next
-- one; nil if there is too much to do.
local function endUpTo(leases, at, time)
  while leases[at] and tonumber(leases[at + 1]) <= time do
    if at % 20 == 1 then
      local few = {}
      for i = at, math.min(at + 18, #leases), 2 do
        few[#few + 1] = leases[i]
      end
      slotMap.readSlots(few)
      naming.readMeanings(few)
    end
    if work.done > MAX_EXPIRY_WORK then
      return nil
    end
    expiry.endLease(leases[at])
    at = at + 2
  end
  -- Behind a full list there may be more.
  return (leases[at] or #leases < 2 * MAX_ENDED) and at or nil
end

-- Ends due reservations and carries out what is due of bookings, in order of time, leases first. Returns true if
-- nothing is left that is due.
local function endLeasesAndBegin()
  local leases, at = dueOf(keys.due), 1
  local moments = booked.areAny() and dueOf(keys.bookingsDue) or {}
  work.done = 0
  for i = 1, #moments, 2 do
    at = endUpTo(leases, at, tonumber(moments[i + 1]))
    if not at or work.done > MAX_EXPIRY_WORK then
      return false
    end
    starts.retry()
    starts.carryOut(moments[i])
  end
  return endUpTo(leases, at, math.huge) and #moments < 2 * MAX_ENDED and work.done <= MAX_EXPIRY_WORK
end

-- Returns true if an item names a plain resource, and has neither a session nor options, nor waits.
local function isPlain(item)
  local name = item.resource
  local pool = pools.slotNumber(name)
  local isRegistered = string.find(name, '>', 1, true) or registry.definition(name) or
    pool and registry.definition(pool)
  return not (isRegistered or item.sessionId or item.options) and (item.wait or '') == ''
end

-- Returns true if what holds a resource may have to do with what is due: unless it is one plain reservation, which is
-- not due.
local function isDue(record)
  return record and (not record.token or record.session or record.pool ~= '' or
    record.expiresAt ~= 0 and record.expiresAt <= clock.nowMs())
end

-- Returns true if items can be carried out although the tenant has work left: they name plain resources for which
-- nobody waits, and whose reservations are not due, so that neither has to do with the other.
local function areApart(items)
  for _, item in ipairs(items) do
    if not isPlain(item) or not tenant.queue.isQueueEmpty(item.resource) or isDue(slotMap.recordAt(item.resource)) then
      return false
    end
  end
  return items[1] ~= nil
end

-- Returns true if the queue has something to do before this call's own work.
local function isQueueDue()
  local state = tenant.queueState
  return state.nextDue <= clock.nowMs() or state.isUnsettled or state.replanned
end

-- Ends what is due. Returns true if nothing is left.
local function endDue()
  local areLeasesDue = tenant.nextDue <= clock.nowMs()
  local isSessionDue = tenant.sessions and tenant.sessions.nextDue <= clock.nowMs()
  local isAnyDue = isSessionDue or areLeasesDue
  if tenant.queueText and (isAnyDue or isQueueDue()) then
    committing.isDueStale = isAnyDue
    return tenant.openQueue().catchUp(expiry.endLease)
  elseif not isAnyDue then
    return true
  end
  committing.isDueStale = true
  return (not areLeasesDue or endLeasesAndBegin()) and (not isSessionDue or tenant.sessions.clearDue())
end

-- Ends due reservations, up to a limit that leaves time for the call's own work; if the tenant has tickets, carries out
-- all that is due of them too. Returns nil if nothing is left: the verb goes on, and finish() writes these changes with
-- its own. If more is due, commits these and returns {'AGAIN'}: the verb returns it, and the instance calls again.
-- `items`: those of the request, nil for one without. If they are apart from what is left, the verb goes on, and leaves
-- that to later calls.
function expiry.expire(items)
  if endDue() then
    return nil
  elseif tenant.queue then
    tenant.queue.suspend()
    if items and areApart(items) then
      return nil
    end
  end
  return committing.finish({ 'AGAIN' })
end

function expiry.begin()
  expiry.leasesEnded = 0
end

return expiry
