-- The waiting queue of the tenant (docs/specification.md#waiting), as the other modules see it. Every verb that reads
-- reservations calls prepare(). It adds to the table of the tenant, if it has tickets or the call may wait
-- (tenant.mayWait, which the verb sets before):
--   queueState      the state of the queue (waiting/state.lua)
--   openQueue()     begins the modules of the queue, and puts its functions into tenant.queue
--   openFor(name)   does so if some ticket has to do with a resource or slot
--   dueInMs()       returns the time until something of the tenant is due
--   openForChanges()  does so if some ticket has to do with the slots that this script has changed
-- Most calls have nothing to do with tickets, so nothing is begun for them.
local answer = require('waiting/answer')
local ask = require('waiting/ask')
local callers = require('waiting/callers')
local catchingUp = require('waiting/catchUp')
local changing = require('waiting/changeTicket')
local claiming = require('waiting/claim')
local endings = require('waiting/endings')
local exempt = require('waiting/exempt')
local grant = require('waiting/grant')
local keeping = require('waiting/keeping')
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local pages = require('waiting/page')
local replanning = require('waiting/replan')
local sessions = require('sessions/sessions')
local settle = require('waiting/settle')
local shown = require('waiting/shown')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local turns = require('waiting/turns')
local walks = require('waiting/walks')
local write = require('waiting/write')
local waitingQueue = {}

-- Returns the number of grants that this request was told of.
local function countClaims()
  return #grant.claims
end

-- Returns the number of reads to charge for looking at tickets.
local function readsOfRequest()
  return ask.reads
end

local QUEUE = {
  countClaims = countClaims,
  reads = readsOfRequest,
  addPlace = pages.addPlace,
  answer = answer.answer,
  ask = ask.ask,
  cancel = write.cancel,
  catchUp = catchingUp.catchUp,
  claim = claiming.claim,
  closeUntil = catchingUp.closeUntil,
  countNew = ask.countNew,
  dropClaims = grant.dropClaims,
  earliest = write.earliestLease,
  endTicketsOf = endings.endTicketsOf,
  excuse = keeping.excuse,
  firstInLine = pages.firstInLine,
  firstReply = answer.firstReply,
  firstWaiter = shown.firstWaiter,
  isChanged = write.isQueueChanged,
  isLineEmpty = lines.isLineEmpty,
  keptEntries = keeping.keptEntries,
  keptReply = keeping.keptReply,
  leave = write.leave,
  mayTake = keeping.mayTake,
  noteBeat = callers.noteBeat,
  nthOf = lines.nthOf,
  page = pages.page,
  placesOf = shown.placesOf,
  planAgain = replanning.planAgain,
  planAgainFor = replanning.planAgainFor,
  publishWakes = write.publishWakes,
  readCall = ask.readCall,
  readWait = ask.readWait,
  recheck = settle.recheck,
  runPostponed = ask.runPostponed,
  settle = settle.settle,
  standings = shown.standings,
  suspend = settle.suspend,
  ticketAt = tickets.ticketAt,
  ticketId = tickets.ticketId,
  unkept = keeping.unkept,
  write = write.writeQueue,
}

local function openQueue()
  lines.open()
  callers.open()
  tickets.open()
  changing.open()
  needs.open()
  turns.open()
  exempt.open()
  walks.open()
  endings.open()
  grant.open()
  claiming.open()
  settle.open()
  catchingUp.open()
  ask.open()
  answer.open()
  QUEUE.pending = ask.pending
  tenant.queue = QUEUE
end

-- Reads what the tenant's hash says of sessions and tickets.
function waitingQueue.prepare()
  sessions.prepareSessions()
  if tenant.queueText or tenant.mayWait then
    state.readState()
    tenant.openQueue, tenant.openFor = openQueue, lines.openFor
    tenant.openForChanges, tenant.dueInMs = lines.openForChanges, lines.dueInMs
  end
end

return waitingQueue
