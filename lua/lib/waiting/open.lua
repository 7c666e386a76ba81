-- The waiting queue of the tenant (docs/specification.md#waiting), as the other scripts see it. Every script that reads
-- reservations includes this file, after all others. It adds to the table of the tenant, if it has tickets or the call
-- may wait (tenant.mayWait, which the command sets before):
--   queueState      the state of the queue (waiting/state.lua)
--   openQueue()     makes the queue's functions, and puts them into tenant.queue
--   openFor(name)   does so if some ticket has to do with a resource or slot
--   dueInMs()       returns the time until something of the tenant is due
--   openForChanges()  does so if some ticket has to do with the slots that this script has changed
-- Most calls have nothing to do with tickets, so nothing is made for them: making a function costs time for each local
-- that it uses. A command adds further parts by `--@part <file>` (src/redis/scripts.ts), since a function may have only
-- 200 local variables.
--@include clock
--@include sessions/open
if tenant.queueText or tenant.mayWait then
--@include waiting/state
--@include waiting/concerns
  tenant.openQueue = function()
--@include waiting/settle
--@include waiting/catchUp
--@include waiting/write
    local queue = {
      catchUp = catchUp, closeUntil = closeUntil, earliest = earliestLease, excuse = excuse, isChanged = isQueueChanged,
      isLineEmpty = isLineEmpty, keptEntries = keptEntries, keptReply = keptReply, mayTake = mayTake,
      noteBeat = noteBeat, nthOf = nthOf, planAgain = planAgain, planAgainFor = planAgainFor, publishWakes = publishWakes, recheck = recheck, settle = settle, suspend = suspend,
      ticketAt = ticketAt, ticketId = ticketId, unkept = unkept, write = writeQueue,
      countClaims = function()
        return #claims
      end,
    }
    tenant.queue = queue
    do
--@include waiting/ofSession
--@parts
    end
  end
end
