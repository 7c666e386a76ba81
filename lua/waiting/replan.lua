-- Brings tickets up to date after a change of definitions (docs/specification.md#waiting-order).
local agenda = require('waiting/agenda')
local changing = require('waiting/changeTicket')
local endings = require('waiting/endings')
local feasible = require('waiting/feasible')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local tickets = require('waiting/tickets')
local walks = require('waiting/walks')
local work = require('frame/work')
local replanning = {}

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

-- Plans a ticket again, if it still waits. It ends if its request is no longer valid.
local function replanTicket(ticket)
  if not ticket or ticket.status == 'granted' then
    return
  end
  local fault, place = whyTicketNotAllowed(ticket)
  if fault then
    return endings.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', fault, place)
  elseif tickets.matchOf(ticket) then
    -- It has no plan. Whether some resource still fits is seen when it is tried.
    return
  end
  local entries = needs.entriesOf(ticket)
  local names, waitsFor = entries and needs.linesOf(entries), nil
  local isSame = entries and table.concat(names, '\n') == table.concat(ticket.lines, '\n')
  work.spend(8)
  if not entries or not feasible.isFeasible(ticket.requester, ticket.method, ticket.items) then
    return endings.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: its definitions have changed', -1)
  elseif not isSame or ticket.method == 'FIRST' then
    for _, name in ipairs(names) do
      waitsFor = name == ticket.waitsFor and name or waitsFor
    end
    changing.changeTicket(ticket, { lines = names, named = needs.namedBy(ticket), waitsFor = waitsFor or names[1] })
  end
end

-- Brings the tickets up to date after a change of definitions, from the front on, one at least, until the time is up.
-- Then all of them are looked at. Returns true when it has reached the end.
function replanning.replan(limit)
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
function replanning.planAgain()
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
function replanning.planAgainFor(names)
  needs.forgetPlans()
  if tenant.labelled and lines.nthOf('\9', 1) then
    return replanning.planAgain()
  end
  local orders, isIn = {}, {}
  for _, name in ipairs(names) do
    local found = ticketsAround(name)
    if not found or #orders > 200 then
      return replanning.planAgain()
    end
    agenda.stirTurns(name)
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

return replanning
