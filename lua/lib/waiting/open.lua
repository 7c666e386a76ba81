-- Opens the queue. The includes are inside the function, and the function is made only for tenants with tickets and for
-- calls that may wait, so that other calls do not pay for it: making a function costs time for each local that it uses.
-- Every script that reads reservations includes this file, after all others. The blocks keep the function below the 200
-- local variables that Lua allows.
--@include openFor
--@include queue
--@include clock
if tenant.queue or mayWait then
openQueue = function()
--@include waiting/settle
--@include waiting/catchUp
--@include waiting/write
  queue = {
    catchUp = catchUp, closeUntil = closeUntil, earliest = earliestLease, excuse = excuse, isChanged = isQueueChanged,
    keptEntries = keptEntries, mayTake = mayTake, noteBeat = noteBeat, nthOf = nthOf, planAgain = planAgain,
    planAgainFor = planAgainFor, publishWakes = publishWakes, recheck = recheck, settle = settle, suspend = suspend,
    ticketAt = ticketAt, ticketId = ticketId, unkept = unkept, write = writeQueue,
  }
  do
--@include waiting/claim
--@include waiting/ask
--@include waiting/answer
    queue.claim, queue.readCall, queue.readWait, queue.countNew, queue.pending = claim, readCall, readWait, countNew, pending
    queue.dropClaims, queue.ask, queue.runPostponed, queue.firstReply, queue.answer = dropClaims, ask, runPostponed, firstReply, answer
    queue.reads = function()
      return reads
    end
  end
  do
--@include waiting/cancel
--@include waiting/page
    queue.cancel, queue.page, queue.leave = cancel, page, leave
  end
end
end
