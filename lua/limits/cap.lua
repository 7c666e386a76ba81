-- The tenant's cap on concurrent reservations, and its limit of bytes (limits/bytes.lua): a request that would take
-- more of one is refused as a whole, and one that takes nothing more is not.
--
-- A reservation of several slots counts as that many. The items of waiting tickets count too, so that no grant exceeds
-- the cap; and so does each session.
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local committing = require('frame/commit')
local endsSoon = require('events/endsSoon')
local flags = require('frame/call').flags
local keys = require('frame/keys')
local quota = require('limits/quota')
local records = require('bookings/records')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local cap = {}
-- True if the limit of bytes was in the way, and not the cap, when askedOverCap() looked last.
local keepsTooMuch

-- Returns the number of items of waiting tickets, and of those that this request's items have asked to wait with.
local function waitingItems()
  local state, asked = tenant.queueState, tenant.queue and tenant.queue.pending
  return state and state.items or 0, asked and asked.items or 0
end

-- Takes the state before the request (frame/commit.lua), and the number of sessions that it begins (nil: 0). Returns
-- nil; or, if the request would exceed the cap or the tenant keeps too many bytes, rolls back all its changes and
-- returns the number of reservations that it asked for.
function cap.askedOverCap(before, begun)
  local held, limits = tenant.count + tenant.moreSlots, tenant.limits
  local waiting, pending = waitingItems()
  local more = held - before.count + pending + (begun or 0)
  if more <= 0 then
    return nil
  end
  local sessions = (tenant.sessions and tenant.sessions.count or 0) + (begun or 0)
  keepsTooMuch = limits.bytes < tenant.NO_LIMIT and tenant.bytes >= limits.bytes and bytes.isOverBytes()
  if keepsTooMuch or held + waiting + pending + sessions > limits.reservations then
    committing.rollBack(before)
    return more
  end
end

-- Returns nil; or, if the request would exceed the cap, rolls back all its changes and returns the reply that refuses
-- it as a whole. Takes what askedOverCap() takes.
function cap.overCap(requestType, before, begun)
  local asked = cap.askedOverCap(before, begun)
  if not asked then
    return nil
  end
  if not flags.isDry then
    committing.finish()
  end
  return cap.refuseAtCap(requestType, asked)
end

-- Returns the reply that refuses a request which asked for so many reservations. Call it when all changes are written.
function cap.refuseAtCap(requestType, asked)
  local untilNextS = math.ceil((tenant.nextDue - clock.nowMs()) / 1000)
  if keepsTooMuch then
    return quota.refuse(requestType, 'StoredBytes', tenant.limits.bytes, 1, 1)
  end
  local retryAfterS = math.max(1, math.min(60, untilNextS))
  return quota.refuse(requestType, 'ConcurrentReservations', tenant.limits.reservations, asked, retryAfterS)
end

-- Notes the time in the due index that the instance has written for this call.
local function noteDueIndex()
  local ms, swept = string.match(flags.dueIndexed or '', '^(%d+) (%d+)$')
  if ms and swept == (redis.call('HGET', keys.tenant, 'swept') or '0') then
    tenant.dueIndexed = math.min(tenant.dueIndexed, tonumber(ms))
  end
end

-- The due index is written before a lease, so that no crash can leave a lease that no sweep would find. The due index
-- is usually on another primary, so a call cannot write it. The verb returns {'DUE_INDEX', ms, swept}; the instance
-- writes it, and calls again with the flag dueIndexed, '<ms> <swept>'. If a sweep took the tenant out of it in between,
-- `swept` has changed, and the verb returns {'DUE_INDEX', ...} again.
--
-- Returns nil if the due index has the tenant early enough for all reservations that this call made or renewed, for the
-- tickets that it issued and for sessions; else {'DUE_INDEX', ...}.
function cap.askForDueIndex()
  noteDueIndex()
  local earliest = math.min(records.earliest(), tenant.queue and tenant.queue.earliest() or math.huge)
  if tenant.sessions then
    -- One that is over is due at 0, and has been so since now at the latest.
    local due = tenant.sessions.nextDue
    earliest = math.min(earliest, due == 0 and clock.nowMs() or due)
  end
  for _, slot in ipairs(slotMap.changed) do
    local record = slotMap.records[slot]
    if record and record.token and record.expiresAt > 0 then
      earliest = math.min(earliest, record.expiresAt)
    end
  end
  if earliest < tenant.dueIndexed then
    return { 'DUE_INDEX', endsSoon.latestLook(earliest), tonumber(redis.call('HGET', keys.tenant, 'swept') or 0) }
  end
end

return cap
