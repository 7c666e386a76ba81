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

-- Returns the state as text; nil if there is no ticket. One digit tells isUnsettled (1) from hasKept (0) and neither
-- (2).
local function stateText()
  if state.tickets == 0 and state.granted == 0 then
    return nil
  end
  return string.format(
    '%d %d %d %.0f %s %d %s', state.items, state.tickets, state.granted, state.last,
    state.nextDue == math.huge and 'inf' or string.format('%.0f', state.nextDue), state.isUnsettled and 1 or state.hasKept and 0 or 2,
    state.replanned and '.' .. state.replanned or '-'
  )
end
