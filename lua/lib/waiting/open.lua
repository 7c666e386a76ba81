-- The waiting queue of the tenant (docs/specification.md#waiting), as the other scripts see it. Every script that reads
-- reservations includes this file, after all others. It adds to the table of the tenant, if it has tickets or the call
-- may wait (tenant.mayWait, which the command sets before):
--   queueState      the state of the queue (waiting/state.lua)
--   openQueue()     makes the queue's functions, and puts them into tenant.queue
--   openFor(name)   does so if some ticket has to do with a resource or slot
--   openForChanges()  does so if some ticket has to do with the slots that this script has changed
-- Most calls have nothing to do with tickets, so nothing is made for them: making a function costs time for each local
-- that it uses. The blocks keep the function below the 200 local variables that Lua allows.
--@include clock
if tenant.queueText or tenant.mayWait then
--@include waiting/state
--@include waiting/concerns
  tenant.openQueue = function()
--@include waiting/settle
--@include waiting/catchUp
--@include waiting/write
    local queue = {
      catchUp = catchUp, closeUntil = closeUntil, earliest = earliestLease, excuse = excuse, isChanged = isQueueChanged,
      keptEntries = keptEntries, mayTake = mayTake, noteBeat = noteBeat, nthOf = nthOf, planAgain = planAgain,
      planAgainFor = planAgainFor, publishWakes = publishWakes, recheck = recheck, settle = settle, suspend = suspend,
      ticketAt = ticketAt, ticketId = ticketId, unkept = unkept, write = writeQueue,
    }
    tenant.queue = queue
    do
--@include waiting/claim
--@include waiting/ask
--@include waiting/answer
      queue.answer, queue.ask, queue.claim, queue.countNew, queue.dropClaims = answer, ask, claim, countNew, dropClaims
      queue.firstReply, queue.pending, queue.readCall, queue.readWait = firstReply, pending, readCall, readWait
      queue.runPostponed = runPostponed
      queue.reads = function()
        return reads
      end
    end
    do
--@include waiting/cancel
--@include waiting/page
      queue.addPlace, queue.cancel, queue.page, queue.leave = addPlace, cancel, page, leave
    end
  end
end
