-- Writes the state of the queue.
--@include waiting/state
local function toHex(bytes)
  return (string.gsub(bytes, '.', function(char)
    return string.format('%02x', string.byte(char))
  end))
end

local function fromHex(text)
  return (string.gsub(text, '%x%x', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- One digit tells isUnsettled, hasKept and wasKept.
local function settledDigit()
  return state.isUnsettled and 1 or state.hasKept and 0 or state.wasKept and 2 or 3
end

-- Returns the state as text; nil if there is no ticket.
local function stateText()
  if state.tickets == 0 and state.granted == 0 then
    return nil
  end
  return string.format(
    '%d %d %d %.0f %s %d %s', state.items, state.tickets, state.granted, state.last,
    state.nextDue == math.huge and 'inf' or string.format('%.0f', state.nextDue), settledDigit(),
    state.replanned and '.' .. state.replanned or '-'
  )
end
