-- Ends tickets, and tells the instances that hold their calls.
local callers = require('waiting/callers')
local changing = require('waiting/changeTicket')
local clock = require('frame/clock')
local events = require('events/events')
local history = require('history/ended')
local itemForms = require('frame/items')
local lines = require('waiting/lines')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local endings = {}

function endings.wake(ticket, text)
  callers.eachInstance(ticket.instance, function(instance)
    local list = endings.wakes[instance] or {}
    list[#list + 1] = tickets.ticketId(ticket) .. '\t' .. text
    endings.wakes[instance] = list
  end)
end

-- Returns the changes of a transaction's event, as JSON. Takes a function that returns the explanation of an item and
-- further fields.
local function changesOf(ticket, explain)
  local changes = {}
  for i, item in ipairs(events.isListening() and ticket.items or {}) do
    local explanation, more = explain(i)
    changes[i] = '{"resource":' .. events.quote(item.resource) .. ',"requester":' .. events.quote(ticket.requester) ..
      ',"requestType":"RESERVE","explanation":"' .. explanation .. '"' .. (more or '') .. '}'
  end
  return '[' .. table.concat(changes, ',') .. ']'
end

-- Emits an event about a ticket. `explain` is as in changesOf(); nil: each item has the event's explanation.
function endings.emitOfTicket(type, requestType, ticket, explanation, explain)
  if tenant.listenUntil == 0 then
    return
  end
  local fields = { requestType = requestType, explanation = explanation, apiKeyLabel = ticket.label }
  if ticket.method == '' then
    fields.resource, fields.requester = ticket.items[1].resource, ticket.requester
    fields.resourceType = ticket.items[1].type
  else
    fields.method = ticket.method
    fields.changes = changesOf(ticket, explain or function()
      return explanation
    end)
  end
  events.emit(type, fields)
end

-- Notes in the history that a wait came to nothing. One for several resources is noted for the one that it lacked.
local function noteWait(ticket, outcome)
  local first = ticket.items[1]
  local options = first.options
  work.spend(4)
  history.past = history.past or {}
  history.past[#history.past + 1] = 'W'
  history.past[#history.past + 1] = cjson.encode({
    number = tickets.ticketId(ticket), since = ticket.since, at = clock.nowMs(), ending = outcome,
    requester = ticket.requester, label = ticket.label,
    resource = (ticket.method ~= '' or tickets.matchOf(ticket)) and ticket.waitsFor or first.resource,
    type = first.type,
    mode = options and itemForms.isSharedItem(first) and 'SHARED' or 'EXCLUSIVE', note = options and options.note,
  })
end

-- Ends a ticket that waits. `outcome` is the explanation of WAIT_ENDED; `status`, `explanation` and `place` are for the
-- caller: the result of the item at this place (-1 all).
function endings.endTicket(ticket, outcome, status, explanation, place)
  if outcome == 'ELAPSED' then
    if ticket.method == '' then
      endings.emitOfTicket('RESERVE_FAILED', 'RESERVE', ticket, status)
    else
      endings.emitOfTicket('TRANSACTION_ROLLED_BACK', 'TRANSACTION', ticket, 'ROLLED_BACK', function(i)
        return (place == -1 or i - 1 == place) and status or 'NOT_AVAILABLE'
      end)
    end
  end
  endings.emitOfTicket('WAIT_ENDED', 'WAIT', ticket, outcome)
  local isHeld = outcome == 'ACQUIRED' or outcome == 'ALREADY_HAD'
  if not isHeld and tenant.limits.history > 0 then
    noteWait(ticket, outcome)
  end
  endings.wake(ticket, isHeld and 'GRANTED' or table.concat({ 'ENDED', status, explanation, place }, '\t'))
  changing.changeTicket(ticket, { status = 'ended' })
end

-- Ends the tickets of a session that is over, until `work` is above a limit, but one at least. Returns true if none is
-- left.
function endings.endTicketsOf(session, limit)
  local prefix = '\8' .. session .. '\n'
  local order = lines.nthOf(prefix, 1)
  while order do
    local ticket = tickets.ticketAt(order)
    if ticket.status == 'granted' then
      changing.changeTicket(ticket, { status = 'ended' })
      endings.wake(ticket, 'ENDED\tNOT_VALID\tNOT_VALID: the session has ended\t-1')
    else
      endings.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: the session has ended', -1)
    end
    order = lines.nthOf(prefix, 1)
    if order and work.done > limit then
      return false
    end
  end
  return true
end

function endings.open()
  -- wakes[instance]: lines of the message to an instance. A line has a ticket, then GRANTED; or ENDED, status,
  -- explanation, and the place of the item that failed (-1 all), with tabs between.
  endings.wakes = {}
end

return endings
