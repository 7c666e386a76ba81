-- Opens the queue. The includes are inside the function, so that scripts of tenants without tickets do not make the
-- queue's functions. Every script that reads reservations includes this file, after all others.
--@include queue
--@include clock
openQueue = function()
--@include waiting/settle
--@include waiting/catchUp
--@include waiting/claim
--@include waiting/cancel
--@include waiting/ask
--@include waiting/answer
--@include waiting/page
--@include waiting/write
  queue = {
    answer = answer, ask = ask, beats = beats, cancel = cancel, catchUp = catchUp, changeTicket = changeTicket, claim = claim, closeUntil = closeUntil,
    countNew = countNew, endTicket = endTicket, excuse = excuse, firstReply = firstReply, isChanged = isQueueChanged,
    keptEntries = keptEntries, leave = leave, mayTake = mayTake, noteBeat = noteBeat, nthOf = nthOf, page = page,
    pending = pending, planAgain = planAgain, planAgainFor = planAgainFor, publishWakes = publishWakes, readCall = readCall, recheck = recheck, suspend = suspend, readWait = readWait,
    runPostponed = runPostponed, settle = settle, earliest = earliestLease, ticketAt = ticketAt, ticketId = ticketId,
    unkept = unkept, write = writeQueue,
    reads = function()
      return reads
    end,
  }
end
