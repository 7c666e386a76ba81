-- The state of the waiting queue (waiting/state.lua), as far as requests that go the plain way read and change it.
-- clear() or read() assigns all of it, so nothing stays from the call before. Fields:
--   items    number of slots that tickets ask for
--   due      when something of the queue is due, in ms; nil if there are no tickets
--   tickets  number of tickets that wait
--   isOpen   true if nothing is kept in any queue, and no ticket asks for slots that are not ready
local queueState = {}
local format, match, tonumber = string.format, string.match, tonumber
local NEVER = 9007199254740992
-- The text of a queue that has nothing left to do.
local SETTLED = '^(%d+) (%d+) (%d+) (%d+) (%S+) ([02]) %-$'

-- The number of grants that nobody has claimed yet, and that of the last ticket: digits.
local granted, last

-- Notes that there are no tickets.
function queueState.clear()
  queueState.items, queueState.due, queueState.tickets, queueState.isOpen = 0, nil, 0, true
  granted, last = '0', '0'
end

-- Reads the text of the state. Returns true if the queue has nothing to do before a request at a time in ms.
function queueState.read(text, nowMs)
  local items, tickets, due, digit
  items, tickets, granted, last, due, digit = match(text, SETTLED)
  if not items then
    return false
  end
  queueState.items, queueState.tickets, queueState.isOpen = tonumber(items), tonumber(tickets), digit == '0'
  queueState.due = due == 'inf' and NEVER or tonumber(due)
  return queueState.due > nowMs
end

-- Returns the text of the state after a change.
local function text()
  local due = queueState.due
  return format(
    '%d %d %s %s %s 0 -', queueState.items, queueState.tickets, granted, last,
    due < NEVER and format('%.0f', due) or 'inf'
  )
end

-- Returns the number of the next ticket. Takes the time in us.
function queueState.nextNumber(nowUs)
  local after = last + 1
  return after > nowUs and after or nowUs
end

-- Notes a ticket for one slot that joins. Takes its number, and when it is due, in ms. Returns the text to write.
function queueState.join(number, due)
  queueState.items, queueState.tickets, last = queueState.items + 1, queueState.tickets + 1, format('%.0f', number)
  if not queueState.due or due < queueState.due then
    queueState.due = due
  end
  return text()
end

-- Returns true if there is no ticket but one that waits.
function queueState.isLastTicket()
  return queueState.tickets == 1 and granted == '0'
end

-- Notes that a ticket for one slot has ended, which was not the last one. Takes when the next one is due: digits, nil
-- never. Returns the text to write.
function queueState.leave(due)
  queueState.items, queueState.tickets = queueState.items - 1, queueState.tickets - 1
  queueState.due = due and tonumber(due) or NEVER
  return text()
end

return queueState
