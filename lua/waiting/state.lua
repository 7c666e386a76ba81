local tenant = require('frame/tenant')
local state = {}

-- The state of the queue as a whole, one field of the tenant's hash. Fields:
--   items        number of slots that all tickets ask for which wait; they count towards the cap on reservations
--   tickets      number of tickets that wait
--   granted      number of tickets that were granted and not claimed yet
--   last         number of the last ticket. Tickets are numbered by Redis's time in microseconds, always rising
--   nextDue      ms: nothing of the tickets is due before this
--   isUnsettled  true if some tickets still have to be looked at (agenda.lua)
--   hasKept      false if nothing is kept in any line (lines.lua)
--   replanned    the ticket, as hexadecimal digits, up to which the queue was brought up to date after a change of
--                definitions; nil if it is up to date
-- Reads the state of the tenant's queue.
function state.readState()
  state.items, state.tickets, state.granted, state.last, state.nextDue = 0, 0, 0, 0, math.huge
  state.isUnsettled, state.hasKept, state.replanned = false, false, nil
  tenant.queueState = state
  if tenant.queueText then
    local items, count, granted, last, nextDue, unsettled, replanned =
      string.match(tenant.queueText, '^(%d+) (%d+) (%d+) (%d+) (%S+) (%d) (%S+)$')
    state.items, state.tickets, state.granted = tonumber(items), tonumber(count), tonumber(granted)
    state.last, state.nextDue = tonumber(last), tonumber(nextDue)
    state.isUnsettled, state.hasKept = unsettled % 2 == 1, unsettled >= '2'
    state.replanned = replanned ~= '-' and string.sub(replanned, 2) or nil
  end
end

function state.toHex(bytes)
  return (string.gsub(bytes, '.', function(char)
    return string.format('%02x', string.byte(char))
  end))
end

function state.fromHex(text)
  return (string.gsub(text, '%x%x', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- One digit tells isUnsettled and hasKept.
local function settledDigit()
  return (state.isUnsettled and 1 or 0) + (state.hasKept and 2 or 0)
end

-- Returns the state as text; nil if there is no ticket.
function state.stateText()
  if state.tickets == 0 and state.granted == 0 then
    return nil
  end
  return string.format(
    '%d %d %d %.0f %s %d %s', state.items, state.tickets, state.granted, state.last,
    state.nextDue == math.huge and 'inf' or string.format('%.0f', state.nextDue), settledDigit(),
    state.replanned and '.' .. state.replanned or '-'
  )
end

return state
