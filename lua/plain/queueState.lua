-- The state of the waiting queue (waiting/state.lua), as far as requests that go the plain way read and change it.
-- plain/tenant.lua assigns the fields for each call, so nothing stays from the one before. Fields:
--   items    number of slots that tickets ask for
--   due      when something of the queue is due, in ms; nil if there are no tickets
local queueState = {}
local format, match, max, min = string.format, string.match, math.max, math.min
local NEVER = 9007199254740992
-- The text of a queue that has nothing left to do.
local SETTLED = '^(%d+) (%d+) (%d+) (%d+) (%S+) ([02]) %-$'

-- If there are tickets: the number of those that wait, that of grants which nobody has claimed yet, the number of the
-- last ticket, and the digit of what they are like (waiting/state.lua): texts.
local tickets, granted, last, digit

-- Reads the text of the state. Returns true if the queue has nothing to do before a request at a time in ms.
function queueState.read(text, nowMs)
  local items, due
  items, tickets, granted, last, due, digit = match(text, SETTLED)
  if not items then
    return false
  end
  queueState.items, queueState.due = tonumber(items), due == 'inf' and NEVER or tonumber(due)
  return queueState.due > nowMs
end

-- Returns true if nothing is kept in any queue, and no ticket asks for slots that are not ready.
function queueState.isOpen()
  return not queueState.due or digit == '0'
end

-- Changes the number of tickets that wait, each for one slot. Returns the text of the state.
local function change(more)
  local due = queueState.due
  queueState.items, tickets = queueState.items + more, tickets + more
  return format(
    '%d %d %s %s %s 0 -', queueState.items, tickets, granted, last, due < NEVER and format('%d', due) or 'inf'
  )
end

-- Returns the number of the next ticket. Takes the time in us.
function queueState.nextNumber(nowUs)
  return queueState.due and max(last + 1, nowUs) or nowUs
end

-- Notes that a number was drawn for a ticket which is not needed. Returns the text to write.
function queueState.skip(number)
  last = format('%d', number)
  return change(0)
end

-- Notes a ticket for one slot that joins. Takes its number, and when it is due, in ms. Returns the text to write.
function queueState.join(number, due)
  if not queueState.due then
    tickets, granted = 0, '0'
  end
  last, queueState.due = format('%d', number), min(due, queueState.due or due)
  return change(1)
end

-- Returns true if there is no ticket but one that waits.
function queueState.isLastTicket()
  return tickets == '1' and granted == '0'
end

-- Notes that a ticket for one slot has ended, which was not the last one. Takes when the next one is due: digits, nil
-- never. Returns the text to write.
function queueState.leave(due)
  queueState.due = due and tonumber(due) or NEVER
  return change(-1)
end

return queueState
