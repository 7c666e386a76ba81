--[[
  Ends some of a tenant's due reservations, and returns the next due time. The caller then raises the tenant's time in
  the expiry index to it, unless another instance has lowered it in the meantime. A reserve that relied on the old time
  notices the change of `swept` (limits/cap.lua).

  ARGV[1]  ''

  Returns {'OK', number of reservations ended, next due time in ms or -1 for none, number of tickets
  that a second look at the queue granted: more than 0 means that it was stuck}; or {'AGAIN', number of reservations
  ended} if more are due now.
]]
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')
local waitingQueue = require('waiting/queue')

return function(keys)
  if not tenant.tier then
    -- The tenant has been deleted: nothing of it may be written again.
    return { 'OK', 0, -1, 0 }
  end
  waitingQueue.prepare()
  local again = expiry.expire()
  if again then
    return { 'AGAIN', expiry.leasesEnded }
  end
  -- How many tickets a look at the front of the queue grants although nothing has changed: none, unless the queue is
  -- stuck.
  local queue = tenant.openQueue()
  local stuck = queue and queue.recheck() or 0
  committing.finish()
  local nextDue = math.min(tenant.nextDue, queue and queue.earliest() or math.huge)
  if tenant.sessions then
    nextDue = math.min(nextDue, tenant.sessions.nextDue)
  end
  local swept = redis.call('HGET', keys.tenant, 'swept') or 0
  tenant.indexed = nextDue
  tenantRecord.saveTenant({ 'swept', swept + 1 })
  return { 'OK', expiry.leasesEnded, nextDue == math.huge and -1 or nextDue, stuck }
end
