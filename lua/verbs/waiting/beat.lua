--[[
  Notes that an instance is alive and holds calls for the tenant. Carries out what is due, and settles the queue.

  ARGV[1]  ''
  ARGV[2]  the instance; '' only carries out what is due

  Returns {'OK', ms until something of the tenant is due (-1: nothing), number of resets, 1 if Redis knew an earlier
  beat of this instance, else 0, tier ('': the tenant was deleted), ticket, ...}: the tickets of the instance's calls
  that were granted and not claimed yet. Or {'AGAIN'}.
]]
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local tenant = require('frame/tenant')
local waitingQueue = require('waiting/queue')

return function(keys, args)
  if not tenant.tier then
    -- The tenant has been deleted: nothing of it may be written again.
    return { 'OK', -1, '0', 0, '' }
  end
  tenant.mayWait = true
  waitingQueue.prepare()
  local queue = tenant.openQueue()
  local again = expiry.expire()
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
