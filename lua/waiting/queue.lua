-- The waiting queue of the tenant (docs/specification.md#waiting), as the other modules see it: tenant.queue. Every
-- verb that reads reservations calls prepare(). Most calls have nothing to do with tickets, so nothing else is begun
-- until something opens the queue:
--   tenant.openQueue()  returns the queue; nil if the tenant has no tickets, and the call cannot wait (tenant.mayWait,
--                       which the verb sets before)
--   tenant.openFor(name)     opens it if some ticket has to do with a resource or slot
--   tenant.openForChanges()  opens it if some ticket has to do with the slots that this script has changed
-- If there is a queue, or the call may wait, tenant.queueState is its state (waiting/state.lua), and tenant.dueInMs()
-- returns the time until something of the tenant is due.
local agenda = require('waiting/agenda')
local answer = require('waiting/answer')
local ask = require('waiting/ask')
local bytes = require('limits/bytes')
local ceasing = require('waiting/ceasing')
local changes = require('waiting/changes')
local clock = require('frame/clock')
local endings = require('waiting/endings')
local exempt = require('waiting/exempt')
local handOver = require('waiting/handOver')
local keeping = require('waiting/keeping')
local keys = require('frame/keys')
local lifetimes = require('waiting/lifetimes')
local queues = require('waiting/queues')
local lists = require('waiting/lists')
local needs = require('waiting/needs')
local sessions = require('sessions/sessions')
local settle = require('waiting/settle')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local turns = require('waiting/turns')
local walks = require('waiting/walks')
local queue = {
  addPlace = lists.addPlace,
  answer = answer.answer,
  ask = ask.ask,
  cancel = lifetimes.cancel,
  catchUp = lifetimes.catchUp,
  claim = endings.claim,
  closeUntil = lifetimes.closeUntil,
  countNew = ask.countNew,
  dropClaims = endings.dropClaims,
  endTicketsOf = endings.endTicketsOf,
  firstInQueue = lists.firstInQueue,
  firstReply = answer.firstReply,
  firstWaiters = lists.firstWaiters,
  isQueueEmpty = queues.isQueueEmpty,
  keepersFor = keeping.keepersFor,
  keptIn = keeping.keptIn,
  keptReply = keeping.keptReply,
  handOver = handOver,
  leave = lifetimes.leave,
  noteBeat = state.noteBeat,
  nthOf = queues.nthOf,
  page = lists.page,
  placesOf = lists.placesOf,
  planAgainFor = settle.planAgainFor,
  readCall = ask.readCall,
  readWait = ask.readWait,
  recheck = settle.recheck,
  refusedOf = keeping.refusedOf,
  runPostponed = ask.runPostponed,
  settle = settle.settle,
  standings = lists.standings,
  suspend = settle.suspend,
  tellWaits = answer.tellWaits,
  ticketAt = tickets.ticketAt,
  ticketId = tickets.ticketId,
  unkept = keeping.unkept,
}

-- Modules that begin with the queue, each after those that it needs.
local PARTS = {
  queues, state, tickets, agenda, needs, turns, exempt, walks, ceasing, changes, endings, handOver, settle, lifetimes,
  ask, answer,
}

-- Returns the due times of the changed tickets to add and to remove, and writes their records.
local function writeTickets()
  local set, del, due, undue = {}, {}, {}, {}
  for _, ticket in ipairs(tickets.changedTickets) do
    local number = tickets.numberOf(ticket)
    if ticket.status == 'ended' then
      del[#del + 1] = number
      undue[#undue + 1] = number
    else
      set[#set + 1] = number
      set[#set + 1] = tickets.packTicket(ticket)
      due[#due + 1] = ticket.due
      due[#due + 1] = number
    end
  end
  bytes.callWith('HSET', keys.tickets, set)
  bytes.callWith('HDEL', keys.tickets, del)
  return due, undue
end

local function writeQueues()
  local add, remove = {}, {}
  for prefix, writes in pairs(queues.queueWrites) do
    for rest, isIn in pairs(writes) do
      if isIn then
        add[#add + 1] = 0
        add[#add + 1] = prefix .. rest
      else
        remove[#remove + 1] = prefix .. rest
      end
    end
  end
  bytes.callWith('ZREM', keys.queues, remove)
  bytes.callWith('ZADD', keys.queues, add)
end

-- Notes when something of the tickets is next due. Takes the times that were written, each followed by its member,
-- and whether others were removed.
local function noteNextDue(due, isAnyRemoved)
  local earliest, isRaised = math.huge, isAnyRemoved
  for i = 1, #due, 2 do
    earliest = math.min(earliest, due[i])
  end
  for _, ticket in ipairs(tickets.changedTickets) do
    isRaised = isRaised or ticket.dueBefore and ticket.dueBefore <= state.nextDue and ticket.due > ticket.dueBefore
  end
  if earliest <= state.nextDue then
    state.nextDue = earliest
  elseif isRaised then
    state.nextDue = tonumber(redis.call('ZRANGE', keys.waits, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
end

-- Writes everything of the queue that this script changed, but for its state. Adds the fields of the tenant that have
-- it: field, value, ...
function queue.write(fields)
  if state.tickets == 0 and state.granted == 0 then
    if tenant.queueText then
      redis.call('UNLINK', keys.tickets, keys.queues, keys.waits)
      redis.call('HDEL', keys.tenant, 'queue')
      tenant.setFlag(tenant.HAS_QUEUE, false)
    end
  else
    local due, undue = writeTickets()
    writeQueues()
    ceasing.note(lifetimes.otherDue)
    for member, ms in pairs(lifetimes.otherDue) do
      if ms then
        due[#due + 1] = ms
        due[#due + 1] = member
      else
        undue[#undue + 1] = member
      end
    end
    bytes.callWith('ZADD', keys.waits, due)
    bytes.callWith('ZREM', keys.waits, undue)
    noteNextDue(due, #undue > 0)
    local text = state.stateText()
    if text ~= tenant.queueText then
      fields[#fields + 1] = 'queue'
      fields[#fields + 1] = text
      tenant.setFlag(tenant.HAS_QUEUE, true)
    end
  end
  if state.areBeatsChanged then
    fields[#fields + 1] = 'beats'
    fields[#fields + 1] = state.beatsText()
    tenant.setFlag(tenant.HAS_BEATS, true)
  end
end

-- Publishes the wake-ups to the instances that have long polls.
function queue.publishWakes()
  for instance, list in pairs(endings.wakes) do
    redis.call('SPUBLISH', tenant.base .. 'wake:' .. instance, table.concat(list, '\n'))
  end
end

-- Returns the earliest time before which the tenant must be in the due index, in ms: no grant is made for less than
-- 5 s, so that grants made by any script are swept in time.
function queue.earliest()
  local earliest = state.tickets + state.granted > 0 and clock.nowMs() + state.MIN_LEASE_MS or math.huge
  for _, ticket in ipairs(tickets.changedTickets) do
    if ticket.status ~= 'ended' then
      earliest = math.min(earliest, ticket.due)
    end
  end
  return earliest
end

-- Returns true if this script changed anything of the queue.
function queue.isChanged()
  return #tickets.changedTickets > 0 or queues.areQueuesWritten or state.areBeatsChanged or
    next(lifetimes.otherDue) ~= nil or
    (state.stateText() or false) ~= tenant.queueText
end

-- Returns the number of grants that this request was told of.
function queue.countClaims()
  return #endings.claims
end

-- Returns the number of reads to charge for looking at tickets.
function queue.reads()
  return ask.reads
end

local function openQueue()
  if not tenant.queue and (tenant.queueText or tenant.mayWait) then
    for _, part in ipairs(PARTS) do
      part.open()
    end
    queue.pending = ask.pending
    tenant.queue = queue
  end
  return tenant.queue
end

-- Reads what the tenant's hash says of sessions and tickets.
function queue.prepare()
  sessions.prepareSessions()
  tenant.openQueue = openQueue
  if tenant.queueText or tenant.mayWait then
    state.readState()
    tenant.openFor, tenant.openForChanges, tenant.dueInMs = queues.openFor, queues.openForChanges, queues.dueInMs
  end
end

return queue
