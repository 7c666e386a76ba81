-- Requests that may wait: they are carried out now, or get a ticket, or go on with the one that they have
-- (docs/specification.md#waiting).
local agenda = require('waiting/agenda')
local claiming = require('waiting/claiming')
local clock = require('frame/clock')
local endings = require('waiting/endings')
local exempt = require('waiting/exempt')
local grant = require('waiting/grant')
local itemForms = require('frame/items')
local queues = require('waiting/queues')
local lifetimes = require('waiting/lifetimes')
local matching = require('reservations/match')
local needs = require('waiting/needs')
local registry = require('definitions/definitions')
local settle = require('waiting/settle')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tellHolder = require('waiting/tellHolder')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local walks = require('waiting/walks')
local work = require('frame/work')
local ask = {}

-- Functions that issue and change the tickets of this request: they run once it is certain that it is not refused.
local postponed

-- asked[digest]: the result of a request of this script that waits.
local asked

-- Reads the argument of a call: instance and pollMs.
function ask.readCall(text)
  local instance, pollMs = string.match(text, '^(%w+) (%d+)$')
  return { instance = instance, pollMs = tonumber(pollMs) }
end

-- Reads the argument of what waits: waitMs, priority and claimMs.
function ask.readWait(text)
  local waitMs, priority, claimMs = string.match(text, '^(%d+) (%-?%d+) (%d+)$')
  return { waitMs = tonumber(waitMs), priority = tonumber(priority), claimMs = tonumber(claimMs) }
end

local function nextNumber()
  state.last = math.max(state.last + 1, clock.nowUs())
  return struct.pack('>I7', state.last)
end

-- Returns the fields of a ticket that each call sets.
local function fieldsOfCall(ticket, request)
  local wait, session = request.wait, request.session
  local call = request.call
  if call.pollMs > 0 then
    state.noteBeat(call.instance)
  end
  local fields = {
    status = (session or call.pollMs > 0) and 'attended' or 'detached', session = session and session.id or '',
    label = tenant.keyLabel, claimMs = wait.claimMs,
    order = string.char(100 - wait.priority) .. tickets.numberOf(ticket),
    endsAt = ticket.since + wait.waitMs, items = request.items,
    instance = state.withCall(ticket.instance or '', call.instance, clock.nowMs() + call.pollMs),
  }
  fields.due = fields.endsAt
  if fields.status == 'attended' and not session then
    fields.due = math.min(fields.endsAt, state.polledUntil(fields.instance) + fields.claimMs)
  end
  return fields
end

-- Returns the queues of a ticket: those of its plan; if it is loose, those of its matches.
local function queuesOfTicket(ticket)
  if not tickets.isLoose(ticket) then
    return needs.queuesOf(needs.entriesOf(ticket) or {})
  end
  local names, isIn = {}, {}
  for _, item in ipairs(ticket.items) do
    local name = tickets.matchOf(item) and matching.queueOf(item)
    if name and not isIn[name] then
      isIn[name], names[#names + 1] = true, name
    end
  end
  return names
end

-- Issues a ticket for a request.
local function issue(ticket, request, refusal, others)
  ticket.since, ticket.slots, ticket.grantedAt, ticket.seen = clock.nowMs(), '', 0, ''
  ticket.requester, ticket.method, ticket.items = request.requester, request.method, request.items
  ticket.digest = request.digest
  local fields = fieldsOfCall(ticket, request)
  fields.queues, fields.named = queuesOfTicket(ticket), needs.namedBy(ticket)
  fields.waitsFor, fields.others = refusal, others
  agenda.changeTicket(ticket, fields)
  grant.noteWaitsFor(ticket)
  if tenant.closing > clock.nowMs() then
    lifetimes.closeUntil(tenant.closing)
  end
  endings.emitOfTicket('WAITING', 'WAIT', ticket, 'WAITING')
  tellHolder(ticket)
end

-- Goes on with a ticket.
local function goOn(ticket, request)
  local wasAway = ticket.status == 'away'
  local order, fields = ticket.order, fieldsOfCall(ticket, request)
  fields.queues, fields.named = queuesOfTicket(ticket), needs.namedBy(ticket)
  agenda.changeTicket(ticket, fields)
  if wasAway or order ~= ticket.order then
    agenda.addWalk('s', ticket.order)
  end
end

-- Returns why a request is too large to wait; nil if it is not.
local function whyTooLarge(entries)
  local MAX_ENTRIES_OF_TICKET = 200
  if #entries > MAX_ENTRIES_OF_TICKET then
    return 'would wait for more than ' .. MAX_ENTRIES_OF_TICKET .. ' slots'
  end
end

-- Returns true if a request is for one plain name, which its requester does not hold, and nobody takes along.
local function isOfPlainName(request)
  local entries = not request.items[2] and not tickets.isLoose(request) and needs.planOf(request.items[1])
  local only = entries and not entries[2] and entries[1]
  local record = only and slotMap.recordAt(only.resource)
  return only and not only.invalid and not registry.definition(only.resource) and
    not (record and (record.owner == request.requester or slotMap.declarerOf(record.owner)))
end

-- Returns true if a request that was refused may ever be granted.
local function mayWaitFor(request)
  return isOfPlainName(request) or exempt.isFeasible(request.requester, request.method, request.items)
end

-- Returns true if a ticket stands in the queue of a match.
local function isAwaited(queue)
  for _, kind in ipairs({ '\nw', '\nv', '\nu', '\nl', '\nd' }) do
    if queues.nthOf(queue .. kind, 1) then
      return true
    end
  end
  return false
end

local TOO_MANY_MATCHES = 'NOT_AVAILABLE: ' .. walks.MAX_MATCHES .. ' other matches are being waited for'

-- Notes that a ticket is about to wait for the match of an item. Returns false if too many others are waited for.
local function noteMatch(item)
  local member, count = string.sub(matching.queueOf(item), 2) .. '\n' .. item.options.match, 0
  for n = walks.MAX_MATCHES, 1, -1 do
    local other = queues.nthOf('\9', n)
    if other == member then
      return true
    end
    count = count + (other and 1 or 0)
  end
  for n = count == walks.MAX_MATCHES and walks.MAX_MATCHES or 0, 1, -1 do
    local other = queues.nthOf('\9', n)
    if not isAwaited('\8' .. string.match(other, '^[^\n]*')) then
      queues.setMember('\9', other, false)
      count = count - 1
    end
  end
  if count >= walks.MAX_MATCHES then
    return false
  end
  queues.setMember('\9', member, true)
  return true
end

-- Ends the ticket of a request that was carried out at once.
local function endDone(ticket, isMade)
  postponed[#postponed + 1] = function()
    if ticket.status ~= 'ended' then
      endings.endTicket(ticket, isMade and 'ACQUIRED' or 'ALREADY_HAD')
    end
  end
  ask.pending.items = ask.pending.items - itemForms.slotsOf(ticket.items)
  return clock.nowMs() - ticket.since
end

-- Finds the session of a request, whose items have it instead of a lease: nil if they have leases, false if there is no
-- such session. The ticket has a lease of the same length.
local function findSession(request)
  for _, item in ipairs(request.items) do
    if item.sessionId then
      item.session = tenant.sessions and tenant.sessions.of(item.sessionId, request.requester) or false
      item.ttlMs, request.session = item.session and item.session.ttlMs or 0, item.session
    end
  end
end

-- Notes that a request joins the queue. Returns its ticket; or nil and what ask() returns, if it may not.
local function join(trial, request, refusal, refusals)
  local tooLarge = whyTooLarge(needs.entriesOf(trial) or {})
  if tooLarge then
    return nil, { tooLarge = tooLarge }
  end
  for i, item in ipairs(request.items) do
    if tickets.matchOf(item) and not noteMatch(item) then
      return nil, { reply = { 'NOT_AVAILABLE', TOO_MANY_MATCHES }, place = i - 1 }
    end
  end
  local ticket = { order = trial.order }
  ask.pending.items = ask.pending.items + itemForms.slotsOf(request.items)
  local others = { unpack(refusals or {}, 2) }
  postponed[#postponed + 1] = function()
    issue(ticket, request, refusal, others)
  end
  return ticket
end

-- Carries out a request that has no grant, or lets it wait. Takes its ticket, nil for none. Returns as ask().
local function tryOrWait(ticket, request)
  local number = ticket and tickets.numberOf(ticket) or nextNumber()
  local trial = {
    order = string.char(100 - request.wait.priority) .. number, requester = request.requester, method = request.method,
    items = request.items, isLive = true, claimMs = 0,
  }
  local done, place, reply, refusal, refusals, tried = grant.carryOut(trial)
  if done then
    return { done = done, waitedMs = ticket and endDone(ticket, grant.isMadeIn(done)) or 0 }
  elseif not refusal or reply.isUnfinished or not ticket and not mayWaitFor(request) then
    return { reply = reply, place = place, tried = tried }
  end
  -- The ticket is written, and the queue settled, after the work budget was checked.
  work.spend(30 + 10 * (#request.items - 1))
  if ticket then
    postponed[#postponed + 1] = function()
      goOn(ticket, request)
    end
    return { ticket = ticket }
  end
  local joined, refused = join(trial, request, refusal, refusals)
  return joined and { ticket = joined } or refused
end

-- Carries out a request, or lets it wait. A request is {requester, method, items, call, wait}; its items have resource,
-- ttlMs or sessionId (frame/items.lua), type and token. Returns one of
--   {done, waitedMs}   what carryOutAll() returned (grant.lua)
--   {ticket}           it waits; answer() describes it after the queue was settled
--   {claimed, waitedMs}  it was granted before, and this call claims it: the ticket
--   {reply, place, tried}  it is refused: the reply to the item at this place; of a FIRST, {reply} for each item
--   {tooLarge}         a message
function ask.ask(request)
  findSession(request)
  if request.session == false then
    return { reply = (matching.reserveOne({ session = false })), place = 0 }
  end
  local digest = tickets.digestOf(request)
  if asked[digest] then
    return asked[digest]
  end
  local ticket = endings.ticketOf(request)
  local isGranted = ticket and ticket.status == 'granted'
  local outcome = isGranted and claiming.refusal(ticket, request)
  if isGranted and not outcome then
    endings.claims[#endings.claims + 1] = { ticket = ticket, items = request.items }
    outcome = { claimed = ticket, waitedMs = ticket.grantedAt - ticket.since }
  elseif not outcome then
    outcome = tryOrWait(ticket, request)
  end
  asked[digest] = (outcome.claimed or outcome.ticket) and outcome
  return outcome
end

-- Issues and changes the tickets of this request, and settles the queue.
function ask.runPostponed()
  for _, run in ipairs(postponed) do
    run()
  end
  postponed, ask.pending.items = {}, 0
  endings.runClaims()
  settle.settle()
end

-- Returns how many slots are asked for by requests that have no ticket yet: these are charged as writes. Notes a read
-- if any has one.
function ask.countNew(requests)
  local new = 0
  for _, request in ipairs(requests) do
    if request.wait and endings.ticketOf(request) then
      ask.reads = 1
    else
      new = new + itemForms.slotsOf(request.items)
    end
  end
  return new
end

function ask.open()
  -- Number of slots that the tickets ask for which this request is about to issue. The cap on reservations counts them.
  ask.pending = { items = 0 }
  postponed = {}
  asked = {}
  -- Reads that the instance must charge for this request.
  ask.reads = 0
end

return ask
