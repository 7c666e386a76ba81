-- Notes the state before the changes of a request.
local admission = require('frame/admission')
local answers = require('frame/answers')
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local flags = require('frame/flags')
local quota = require('limits/quota')
local reading = require('frame/reading')
local releasing = require('reservations/release')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local frame = {}

-- Returns the state before a request's changes, for rollback().
function frame.stateBefore()
  return { journal = #slotMap.journal, freed = #releasing.freed, fence = tenant.fence, count = tenant.count + tenant.further }
end

-- Begins a charged request that changes reservations.

-- Authenticates the caller, who needs the right `reserve` for these items (frame/admission.lua), charges the request
-- and ends due reservations. Takes `once` of frame/idempotency.lua. Returns nil; or the reply that ends the script.
function frame.request(requestType, cost, items, keeper)
  return admission.admit('reserve', items) or keeper and keeper.before() or quota.charge(requestType, cost) or
    expiry.expire(items)
end

-- Begins a charged request that must not run twice: a retry gets the reply that the first try remembered
-- (frame/answers.lua).

-- Authenticates the caller, who needs this right for these items (frame/admission.lua), charges the request and ends
-- due reservations. Takes `once` of frame/idempotency.lua, nil if the request has no Idempotency-Key; and whether the
-- items name reservations, so that they may be carried out before all that is due (reservations/expiry.lua). Returns
-- nil; or the reply that ends the script.
function frame.requestOnce(right, requestType, cost, items, keeper, mayBeApart)
  local refused = admission.admit(right, items)
  if not refused and keeper then
    refused = keeper.before()
  elseif not refused then
    refused = answers.answerBefore()
  end
  return refused or quota.charge(requestType, cost) or expiry.expire(mayBeApart and items or nil)
end

-- Begins the work of a request that may be a dry run (docs/specification.md#asking-without-doing). A dry run is carried
-- out on paper like any request, and its script ends without finish(): so nothing of it is written or sent. The
-- instance has charged it as reads. What was due before it is ended here, as look() does.
function frame.beginDryRun()
  if flags.isDry then
    if committing.isDueStale or tenant.queue and tenant.queue.isChanged() then
      committing.finish()
    end
  end
end

-- Rolls back all changes of a request, including fencing tokens and freed slots. Expired reservations stay ended: they
-- were ended before the request's own changes.

-- Takes what stateBefore() returned.
function frame.rollback(before)
  slotMap.undo(before.journal)
  tenant.fence = before.fence
  for i = #releasing.freed, before.freed + 1, -1 do
    releasing.freed[i] = nil
  end
end

-- Ends a script whose search for a resource that fits has to go on in another one (reservations/match.lua).

-- Undoes the request, and writes what the search has noted so far. The instance calls again.
function frame.again(before)
  frame.rollback(before)
  if tenant.queue then
    tenant.queue.dropClaims(0)
    tenant.queue.suspend()
  end
  return committing.finish({ 'AGAIN' })
end

-- Begins a script that only reads reservations.

-- Takes the right that the caller needs. Authenticates the caller, then ends due reservations and commits that. Returns
-- nil; or the reply that ends the script.
function frame.look(right)
  return admission.admit(right) or reading.endDue()
end

return frame
