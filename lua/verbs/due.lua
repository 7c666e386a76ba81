-- Verbs by which the service carries out what is due in a tenant: leases, sessions and tickets.
local committing = require('frame/commit')
local endsSoon = require('events/endsSoon')
local events = require('events/events')
local expiry = require('reservations/expiry')
local tenant = require('frame/tenant')
local waitingQueue = require('waiting/queue')
local verbs = {}

--[[ sweep
  Ends some of a tenant's due reservations, announces leases that end soon (events/endsSoon.lua), and returns the next
  due time. The caller then raises the tenant's time in the due index to it, unless another instance has lowered it in
  the meantime. A reserve that relied on the old time notices the change of `swept` (limits/cap.lua).

  ARGV[1]  ''

  Returns {'OK', number of reservations ended, 1 if the outbox was written, else 0, next due time in ms or -1 for none,
  number of tickets that a second look at the queue granted: more than 0 means that it was stuck}; or, if more are due,
  or to be announced, now, {'AGAIN', number of reservations ended, 1 or 0}.
]]
local function againReply()
  return { 'AGAIN', expiry.leasesEnded, events.isKept and 1 or 0 }
end

-- Returns when the sweep has to come back, infinite if never. Takes the queue, nil none, and what announce() returned.
local function nextVisit(queue, nextLook, latestLook)
  local nextDue = math.min(tenant.nextDue, queue and queue.earliest() or math.huge, nextLook)
  if tenant.sessions then
    nextDue = math.min(nextDue, tenant.sessions.nextDue)
  end
  return nextDue < math.huge and math.min(nextDue, latestLook) or nextDue
end

function verbs.sweep(keys)
  if not tenant.tier then
    -- The tenant has been deleted: nothing of it may be written again.
    return { 'OK', 0, 0, -1, 0 }
  end
  waitingQueue.prepare()
  if expiry.expire() then
    return againReply()
  end
  -- Number of tickets that a look at the front of the queue grants although nothing has changed: 0, unless the queue is
  -- stuck.
  local queue = tenant.openQueue()
  local stuck = queue and queue.recheck() or 0
  local areAllAnnounced, nextLook, latestLook = endsSoon.announce()
  committing.finish()
  if not areAllAnnounced then
    return againReply()
  end
  local nextDue = nextVisit(queue, nextLook, latestLook)
  local swept = redis.call('HGET', keys.tenant, 'swept') or 0
  tenant.dueIndexed = nextDue
  tenant.save({ 'swept', swept + 1 })
  return { 'OK', expiry.leasesEnded, events.isKept and 1 or 0, nextDue == math.huge and -1 or nextDue, stuck }
end

-- Begins a call for an instance that has long polls of the tenant: ends what is due. Returns nil; or the reply that
-- ends the call.
local function beginForInstance()
  tenant.mayWait = true
  waitingQueue.prepare()
  tenant.openQueue()
  return expiry.expire()
end

--[[ beat
  Notes that an instance is alive and has long polls of the tenant. Carries out what is due, and settles the queue.

  ARGV[1]  ''
  ARGV[2]  the instance; '' only carries out what is due

  Returns {'OK', ms until something of the tenant is due (-1: nothing), number of resets, 1 if Redis knew an earlier
  beat of this instance, else 0, tier ('': the tenant was deleted), ticket, ...}: the tickets of the instance's calls
  that were granted and not claimed yet. Or {'AGAIN'}.
]]
function verbs.beat(keys, args)
  if not tenant.tier then
    -- The tenant has been deleted: nothing of it may be written again.
    return { 'OK', -1, '0', 0, '' }
  end
  local again, queue = beginForInstance(), tenant.queue
  if again then
    return again
  end
  local isKnown = args[2] ~= '' and queue.noteBeat(args[2])
  committing.finish()
  local resets = redis.call('HGET', keys.tenant, 'resets') or '0'
  local reply = { 'OK', tenant.dueInMs(), resets, isKnown and 1 or 0, tenant.tier }
  local n = 1
  local order = args[2] ~= '' and queue.nthOf('\3' .. args[2] .. '\n', n)
  while order do
    local ticket = queue.ticketAt(order)
    if ticket then
      reply[#reply + 1] = queue.ticketId(ticket)
    end
    n = n + 1
    order = n <= 500 and queue.nthOf('\3' .. args[2] .. '\n', n)
  end
  return reply
end

--[[ leave
  Notes that calls of an instance have ended: their callers disconnected, or the instance stops. Their tickets are
  attended for a while longer, in case the callers come back.

  ARGV[1]  ''
  ARGV[2]  the instance
  ARGV[3]  the first ticket; the others follow

  Returns {'OK'} or {'AGAIN'}.
]]
function verbs.leave(_, args)
  local again = beginForInstance()
  if again then
    return again
  end
  for i = 3, #args do
    tenant.queue.leave(args[i], args[2])
  end
  return committing.finish({ 'OK' })
end

return verbs
