-- Rolls back what a request has changed, before anything of it is written.
local committing = require('frame/commit')
local releasing = require('reservations/release')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local rollback = {}

-- Returns the state before a request's changes.
function rollback.stateBefore()
  return {
    journal = #slotMap.journal, freed = #releasing.freed, fence = tenant.fence, count = tenant.count + tenant.further,
  }
end

-- Rolls back all changes since a state, including fencing tokens and freed slots. Expired reservations stay ended: they
-- were ended before.
function rollback.to(before)
  slotMap.undo(before.journal)
  tenant.fence = before.fence
  for i = #releasing.freed, before.freed + 1, -1 do
    releasing.freed[i] = nil
  end
end

-- Ends a call whose search for a resource that fits has to go on in another one (reservations/match.lua): rolls back,
-- and writes what the search has noted so far. Returns the reply {'AGAIN'}.
function rollback.again(before)
  rollback.to(before)
  if tenant.queue then
    tenant.queue.dropClaims(0)
    tenant.queue.suspend()
  end
  return committing.finish({ 'AGAIN' })
end

return rollback
