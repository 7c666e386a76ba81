-- Settles the queue: grants the first ticket in order that may be granted, then starts again from the front, until no
-- ticket is left that could be granted (docs/specification.md#waiting-order). A ticket is looked at again only if
-- something has changed for it. These changes begin walks (agenda.lua):
--   a slot is freed, or a hold of it may be joined: through those that wait for it
--   a ticket that was seen as next is not next any more: through those from whom something is kept in its queues
--   a requester gets something, or nothing is kept from it any more: through its tickets
--   a slot, or who stands in a queue, has changed: through those of the queue that are next, or were seen as next
-- A script settles for a limited time, and later scripts go on with the walks that are left. Each step moves the first
-- walk on behind its next ticket, or ends it. A walk begins only if a ticket is granted or ends, waits for something
-- else, or its `seen` has changed. Between two grants each of these happens to a ticket a limited number of times. So
-- the end is reached.
local agenda = require('waiting/agenda')
local booked = require('bookings/booked')
local changes = require('waiting/changes')
local endings = require('waiting/endings')
local exempt = require('waiting/exempt')
local grant = require('waiting/grant')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local queues = require('waiting/queues')
local needs = require('waiting/needs')
local starts = require('bookings/starts')
local state = require('waiting/state')
local tellHolder = require('waiting/tellHolder')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local tickets = require('waiting/tickets')
local walks = require('waiting/walks')
local work = require('frame/work')
local settle = {}

-- A script that did more work than this before settles nothing: one step of it may take some milliseconds.
local MAX_OWN_WORK = 6000

-- True if the queue must not be settled by this script.
local isSuspended

-- Returns false if a ticket certainly still waits for what it has waited for.
local function mayBeOver(ticket)
  local name = ticket.waitsFor
  return ticket.method == 'FIRST' or tickets.isLoose(ticket) or walks.isOpen('j', name) or
    #needs.lackedAt(ticket, name) == 0
end

-- The kinds of walks that look at turns, and grant nothing.
local OF_TURNS = { T = true, O = true, n = true }

-- Has the turns looked at in the queues of a ticket, but for one.
local function stirOthers(ticket, name)
  for _, queue in ipairs(ticket.queues) do
    if queue ~= name then
      agenda.stirTurns(queue)
    end
  end
end

-- Moves the first walk on, and looks at the ticket to which it comes.
local function settleStep()
  local kind, order, name = walks.moveOn()
  if kind == 'c' then
    return changes.touchLines(name)
  end
  local ticket = order and tickets.ticketAt(order)
  -- A ticket that is granted, or that its caller has left, is neither next nor to be granted.
  if not ticket or ticket.order ~= order or ticket.status ~= 'attended' and ticket.status ~= 'detached' then
    return
  end
  work.spend(1)
  if OF_TURNS[kind] or kind == 'a' and ticket.seen ~= '' then
    walks.lookAtTurn(ticket)
  end
  if kind == 'n' then
    stirOthers(ticket, name)
  end
  if not OF_TURNS[kind] and (kind ~= 'r' or mayBeOver(ticket)) and grant.tryGrant(ticket) then
    changes.touch()
  end
end

-- Returns the work of this script, as far as it counts towards the limit for settling: not what it takes to read the
-- bookings of a pool. Each script has to, so it would look at few tickets.
local function countedWork()
  local MAX_READ_WORK = 2000
  return work.done - math.min(booked.readWork, MAX_READ_WORK)
end

-- Settles until the time is up, but by one step at least. Returns true if it came to the end.
local function settleSteps(limit)
  local isBegun = false
  while not isBegun or countedWork() <= limit do
    if not queues.nthOf('\5', 1) then
      state.isUnsettled = false
      return true
    end
    settleStep()
    isBegun = true
  end
  return false
end

-- Brings tickets up to date after a change of definitions (docs/specification.md#waiting-order).

-- Returns why the tenant's settings do not allow the request of a ticket any more, and the place of the item that
-- they refuse: of a FIRST, all of them; nil if they allow it.
local function whyTicketNotAllowed(ticket)
  local refused, why, place = 0, nil, nil
  for i, item in ipairs(ticket.items) do
    local fault = terms.whyNotAllowed(item)
    refused = refused + (fault and 1 or 0)
    if fault and not why then
      why, place = fault, i - 1
    end
  end
  if ticket.method ~= 'FIRST' then
    return why, place
  elseif refused == #ticket.items then
    return why, -1
  end
end

-- Moves a ticket to the queues of its plan as it is now. One that is loose stays in those of its matches.
local function moveTicket(ticket)
  if tickets.isLoose(ticket) then
    return agenda.changeTicket(ticket, { named = needs.namedBy(ticket) })
  end
  local names, waitsFor = needs.queuesOf(needs.entriesOf(ticket)), nil
  local isSame = table.concat(names, '\n') == table.concat(ticket.queues, '\n')
  if not isSame or ticket.method == 'FIRST' then
    for _, name in ipairs(names) do
      waitsFor = name == ticket.waitsFor and name or waitsFor
    end
    agenda.changeTicket(ticket, { queues = names, named = needs.namedBy(ticket), waitsFor = waitsFor or names[1] })
    if not waitsFor then
      tellHolder(ticket)
    end
  end
end

-- Plans a ticket again, if it still waits. It ends if its request is no longer valid.
local function replanTicket(ticket)
  if not ticket or ticket.status == 'granted' then
    return
  end
  local fault, place = whyTicketNotAllowed(ticket)
  if fault then
    return endings.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', fault, place)
  end
  work.spend(8)
  if
    not (needs.entriesOf(ticket) or tickets.isLoose(ticket)) or
    not exempt.isFeasible(ticket.requester, ticket.method, ticket.items)
  then
    return endings.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: its definitions have changed', -1)
  end
  moveTicket(ticket)
end

-- Brings the tickets up to date after a change of definitions, from the front on, one at least, until the time is up.
-- Then all of them are looked at. Returns true when it has reached the end.
local function replan(limit)
  while state.replanned do
    local orders = walks.ordersFrom('(', state.fromHex(state.replanned))
    for i, order in ipairs(orders) do
      replanTicket(tickets.ticketAt(order))
      state.replanned = state.toHex(order)
      if work.done > limit and orders[i + 1] then
        return false
      end
    end
    if not orders[1] then
      state.replanned = nil
      agenda.addWalk('a', '')
    elseif work.done > limit then
      return false
    end
  end
  return true
end

-- Notes that definitions have changed: all tickets are planned again, now or by later scripts.
function settle.planAgain()
  needs.forgetPlans()
  state.replanned = ''
end

-- Adds the members of a queue, and of those of the slots that it may have.
local function addRanges(queue, ranges)
  ranges[#ranges + 1] = { '[' .. queue .. '\n', '(' .. queue .. '\11' }
  ranges[#ranges + 1] = { '[' .. queue .. '_', '(' .. queue .. '`' }
end

-- Returns the tickets in the queues for a name, and for names that may be slots of it; nil if there are many.
local function ticketsAround(name)
  local MAX_FOUND = 100
  local found = {}
  local ranges = { { '[\7' .. name .. '\n', '(\7' .. name .. '\11' } }
  lines.eachOf(name, addRanges, ranges)
  for _, range in ipairs(ranges) do
    local members = redis.call('ZRANGE', keys.queues, range[1], range[2], 'BYLEX', 'LIMIT', 0, MAX_FOUND)
    work.spend(3 + #members / 4)
    if #members == MAX_FOUND then
      return nil
    end
    for _, member in ipairs(members) do
      found[#found + 1] = string.sub(member, -8)
    end
  end
  return found
end

-- Notes that the definitions of some names have changed: their tickets are planned again. If these are many, all are.
function settle.planAgainFor(names)
  needs.forgetPlans()
  if tenant.labelled and queues.nthOf('\9', 1) then
    return settle.planAgain()
  end
  local orders, isIn = {}, {}
  for _, name in ipairs(names) do
    local found = ticketsAround(name)
    if not found or #orders > 200 then
      return settle.planAgain()
    end
    lines.eachOf(name, agenda.stirLine, true)
    for _, order in ipairs(found) do
      orders[#orders + 1] = not isIn[order] and order or nil
      isIn[order] = true
    end
  end
  tickets.readTickets(orders)
  for _, order in ipairs(orders) do
    replanTicket(tickets.ticketAt(order))
    agenda.addWalk('s', order)
  end
end

-- Settles after the changes of this script so far. Returns true if nothing is left to do.
function settle.settle()
  -- A request that took much work itself leaves less for settling, or all.
  local MIN_SETTLE_WORK, MAX_SETTLE_WORK, MAX_SCRIPT_WORK = 300, 2000, 4000
  if isSuspended then
    return true
  end
  starts.retry()
  changes.touch()
  if not state.isUnsettled and not state.replanned then
    return true
  elseif work.done > MAX_OWN_WORK then
    return false
  end
  local done = countedWork()
  local limit = math.max(done + MIN_SETTLE_WORK, math.min(done + MAX_SETTLE_WORK, MAX_SCRIPT_WORK))
  return replan(limit) and settleSteps(limit)
end

-- Keeps this script from settling again: it has done its part, or its definitions are only planned.
function settle.suspend()
  isSuspended = true
end

-- Looks at the first tickets of the queue although nothing has changed for them. Returns how many were granted: none,
-- unless the queue was stuck.
function settle.recheck()
  local MAX_RECHECKED, granted, n = 8, state.granted, 1
  local order = queues.nthOf('\1', n)
  while order and n <= MAX_RECHECKED and settle.settle() do
    local ticket = tickets.ticketAt(order)
    if not (ticket and grant.tryGrant(ticket)) then
      n = n + 1
    end
    order = queues.nthOf('\1', n)
  end
  return state.granted - granted
end

function settle.open()
  isSuspended = false
end

return settle
