-- Ends tickets, and tells the instances that hold their calls.
--@include emit
--@include history
--@include waiting/tickets

-- wakes[instance]: lines of the message to an instance. A line has a ticket, then GRANTED; or ENDED, status,
-- explanation, and the place of the item that failed (-1 all), with tabs between.
local wakes = {}

local function wake(ticket, text)
  eachInstance(ticket.instance, function(instance)
    local list = wakes[instance] or {}
    list[#list + 1] = ticketId(ticket) .. '\t' .. text
    wakes[instance] = list
  end)
end

-- Returns the changes of a transaction's event, as JSON. Takes a function that returns the explanation of an item and
-- further fields.
local function changesOf(ticket, explain)
  local changes = {}
  for i, item in ipairs(listening and ticket.items or {}) do
    local explanation, more = explain(i)
    changes[i] = '{"resource":' .. quote(item.resource) .. ',"requester":' .. quote(ticket.requester) ..
      ',"requestType":"RESERVE","explanation":"' .. explanation .. '"' .. (more or '') .. '}'
  end
  return '[' .. table.concat(changes, ',') .. ']'
end

-- Emits an event about a ticket. `explain` is as in changesOf(); nil: each item has the event's explanation.
local function emitOfTicket(type, requestType, ticket, explanation, explain)
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
  emit(type, fields)
end

-- Notes in the history that a wait came to nothing. One for several resources is noted for the one that it lacked.
local function noteWait(ticket, outcome)
  local first = ticket.items[1]
  local options = first.options
  spend(4)
  past = past or {}
  past[#past + 1] = 'W'
  past[#past + 1] = cjson.encode({
    number = ticketId(ticket), since = ticket.since, at = nowMs, ending = outcome, requester = ticket.requester, label = ticket.label,
    resource = (ticket.method ~= '' or matchOf(ticket)) and ticket.waitsFor or first.resource, type = first.type,
    mode = options and isSharedItem(first) and 'SHARED' or 'EXCLUSIVE', note = options and options.note,
  })
end

-- Ends a ticket that waits. `outcome` is the explanation of WAIT_ENDED; `status`, `explanation` and `place` are for the
-- caller: the result of the item at this place (-1 all).
local function endTicket(ticket, outcome, status, explanation, place)
  if outcome == 'ELAPSED' then
    if ticket.method == '' then
      emitOfTicket('RESERVE_FAILED', 'RESERVE', ticket, status)
    else
      emitOfTicket('TRANSACTION_ROLLED_BACK', 'TRANSACTION', ticket, 'ROLLED_BACK', function(i)
        return (place == -1 or i - 1 == place) and status or 'NOT_AVAILABLE'
      end)
    end
  end
  emitOfTicket('WAIT_ENDED', 'WAIT', ticket, outcome)
  if outcome ~= 'ACQUIRED' and outcome ~= 'ALREADY_HAD' and limits.history > 0 then
    noteWait(ticket, outcome)
  end
  if outcome ~= 'ACQUIRED' then
    wake(ticket, outcome == 'ALREADY_HAD' and 'GRANTED' or
      table.concat({ 'ENDED', status, explanation, place }, '\t'))
  end
  changeTicket(ticket, { status = 'ended' })
end
