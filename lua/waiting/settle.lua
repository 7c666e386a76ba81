-- Settles the queue: grants the first ticket in order that may be granted, then starts again from the front, until no
-- ticket is left that could be granted (docs/specification.md#waiting-order). Only tickets are looked at for which
-- something has changed:
--   those that wait for a slot that became free, or for a blocker's hold that they may join
--   those of requesters that got something, or from which nothing is kept any more
--   the first of those that wait for a free slot that was kept for a ticket which is not next any more
-- A script settles for a limited time. It notes in the lines what is left, and later scripts go on there. Each ticket
-- and each line that it looks at is done with, until something changes again. So the end is reached: only a grant, the
-- end of a ticket, or a ticket that waits for something else adds to what is left, and between two grants a ticket
-- changes what it waits for once.
local active = require('waiting/active')
local feasible = require('waiting/feasible')
local grant = require('waiting/grant')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local settle = {}

-- True if the queue must not be settled by this script.
local isSuspended

-- The number of changes of tickets up to which the queue was settled.
local settledTickets

-- True while exemptLines and movedTickets are followed: all of them, before the next ticket is looked at.
local isExempting

-- Follows one change; or, if there is none, looks at one ticket, before an order (nil: any). Returns false if nothing
-- is left to do. Changes come first, since an earlier ticket may be the next because of them.
local function settleStep(before)
  if active.followTurned() or isExempting and active.followExempt() then
    return true
  end
  local order, moveOn = active.firstActive()
  isExempting = not order or before ~= nil and order >= before
  if isExempting then
    return active.followExempt()
  end
  local ticket = tickets.ticketAt(order)
  work.spend(1)
  if ticket and grant.tryGrant(ticket) then
    active.touchChanges()
  else
    moveOn()
  end
  return true
end

-- Settles as far as is known, before an order (nil: all), until the time is up, but by one step at least. Returns true
-- if it came to the end.
local function settleActive(limit, before)
  local isBegun = false
  while not isBegun or work.done <= limit do
    if not settleStep(before) then
      return true
    end
    isBegun = true
  end
  return false
end

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

-- Plans a ticket again. It ends if its request is no longer valid.
local function replanTicket(ticket)
  local fault, place = whyTicketNotAllowed(ticket)
  if fault then
    return grant.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', fault, place)
  elseif tickets.matchOf(ticket) then
    -- It has no plan. Whether some resource still fits is seen when it is tried.
    return
  end
  local entries = needs.entriesOf(ticket)
  local names, waitsFor = entries and needs.linesOf(entries), nil
  local isSame = entries and table.concat(names, '\n') == table.concat(ticket.lines, '\n')
  work.spend(8)
  if not entries or not feasible.isFeasible(ticket.requester, ticket.method, ticket.items) then
    return grant.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: its definitions have changed', -1)
  elseif not isSame or ticket.method == 'FIRST' then
    for _, name in ipairs(names) do
      waitsFor = name == ticket.waitsFor and name or waitsFor
    end
    tickets.changeTicket(ticket, { lines = names, named = needs.namedBy(ticket), waitsFor = waitsFor or names[1] })
  end
end

-- Plans tickets again, one at least, until the time is up; then tries to grant them. Takes an array of orders.
-- Returns the number of tickets that were planned.
local function replanTickets(orders, limit)
  local count, changes = 0, tickets.ticketChanges
  tickets.readTickets(orders)
  for _, order in ipairs(orders) do
    if count > 0 and work.done > limit then
      break
    end
    local ticket = tickets.ticketAt(order)
    if ticket and ticket.order == order and ticket.status ~= 'granted' then
      replanTicket(ticket)
    end
    count = count + 1
  end
  local MAX_BETWEEN_WORK = 300
  local limitBetween, isChanged = work.done + MAX_BETWEEN_WORK, tickets.ticketChanges > changes
  for i = 1, count do
    -- A grant, or the end of a ticket, may allow a grant further ahead, which comes first.
    if isChanged then
      settleActive(limitBetween, orders[i])
    end
    local ticket = tickets.ticketAt(orders[i])
    if ticket and ticket.order == orders[i] and grant.tryGrant(ticket) then
      active.touchChanges()
      isChanged = true
    end
  end
  return count
end

-- Brings the tickets up to date after a change of definitions, from the front on. Returns true when it has reached
-- the end.
local function replan(limit)
  local PAGE_OF_PLANS = 20
  while state.replanned do
    local orders = redis.call(
      'ZRANGE', keys.lines, '(\1' .. state.fromHex(state.replanned), '(\2', 'BYLEX', 'LIMIT', 0, PAGE_OF_PLANS
    )
    for i, member in ipairs(orders) do
      orders[i] = string.sub(member, 2)
    end
    local count = replanTickets(orders, limit)
    state.replanned = count > 0 and state.toHex(orders[count]) or state.replanned
    if count < #orders then
      return false
    elseif #orders < PAGE_OF_PLANS then
      state.replanned = nil
    end
  end
  return true
end

-- Notes that definitions have changed: all tickets are planned again, now or by later scripts.
function settle.planAgain()
  needs.forgetPlans()
  state.replanned = ''
end

-- Returns the tickets in the lines for a name, and for names that may be slots of it; nil if there are many.
local function ticketsAround(name)
  local MAX_FOUND = 100
  local found = {}
  for _, range in ipairs({
    { '[' .. name .. '\n', '(' .. name .. '\11' }, { '[' .. name .. '_', '(' .. name .. '`' },
    { '[\7' .. name .. '\n', '(\7' .. name .. '\11' },
  }) do
    local members = redis.call('ZRANGE', keys.lines, range[1], range[2], 'BYLEX', 'LIMIT', 0, MAX_FOUND)
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
  if tenant.labelled and lines.nthOf('\9', 1) then
    return settle.planAgain()
  end
  local orders, isIn = {}, {}
  for _, name in ipairs(names) do
    local found = ticketsAround(name)
    if not found or #orders > 200 then
      return settle.planAgain()
    end
    for _, order in ipairs(found) do
      orders[#orders + 1] = not isIn[order] and order or nil
      isIn[order] = true
    end
  end
  table.sort(orders)
  replanTickets(orders, math.huge)
end

-- Settles after the changes of this script so far. Returns true if nothing is left to do.
function settle.settle()
  -- A request that took much work itself leaves less for settling.
  local MIN_SETTLE_WORK, MAX_SETTLE_WORK, MAX_SCRIPT_WORK = 300, 2000, 4000
  if isSuspended then
    return true
  elseif state.tickets == 0 then
    active.active, active.activeRequesters, active.activeCount, active.settledTo = {}, {}, 0, #slotMap.journal
    tickets.lostLines, tickets.wonLines, tickets.movedTickets, active.exemptLines = {}, {}, {}, {}
    state.isUnsettled, state.replanned = false, nil
    return true
  end
  if #slotMap.journal == active.settledTo and tickets.ticketChanges == settledTickets and not state.isUnsettled and not state.replanned then
    return true
  end
  local limit = math.max(work.done + MIN_SETTLE_WORK, math.min(work.done + MAX_SETTLE_WORK, MAX_SCRIPT_WORK))
  active.touchChanges()
  local isDone = replan(limit)
  while isDone do
    isDone = settleActive(limit)
    if isDone and not (state.isUnsettled and active.resumeActive()) then
      break
    end
  end
  if not isDone then
    return not active.saveActive()
  end
  settledTickets = tickets.ticketChanges
  return true
end

-- Keeps this script from settling again: it has done its share, or its definitions are only planned.
function settle.suspend()
  isSuspended = true
end

-- Looks at the first tickets of the queue although nothing has changed for them. Returns how many were granted: none,
-- unless the queue was stuck.
function settle.recheck()
  local MAX_RECHECKED, granted, n = 8, state.granted, 1
  local order = lines.nthOf('\1', n)
  while order and n <= MAX_RECHECKED and settle.settle() do
    local ticket = tickets.ticketAt(order)
    if not (ticket and grant.tryGrant(ticket)) then
      n = n + 1
    end
    order = lines.nthOf('\1', n)
  end
  return state.granted - granted
end

function settle.open()
  isSuspended = false
  settledTickets = 0
  isExempting = false
end

return settle
