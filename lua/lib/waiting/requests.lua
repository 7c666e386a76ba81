-- The part of the queue for requests that may wait, and for those that may claim a grant.
--@include waiting/answer
--@include waiting/ask
--@include waiting/claim
queue.answer, queue.ask, queue.claim, queue.countNew, queue.dropClaims = answer, ask, claim, countNew, dropClaims
queue.firstReply, queue.pending, queue.readCall, queue.readWait = firstReply, pending, readCall, readWait
queue.runPostponed = runPostponed
queue.reads = function()
  return reads
end
