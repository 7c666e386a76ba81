-- Notes what changes of tickets mean for whose turn it is (turns.lua). It is a part of tickets.lua.
-- Changes that may decide on other tickets, until turned.lua has looked at them.
--   wonLines[name]: true for a line in which tickets may have got their turn: one left it, or got what it lacked there
--   lostLines[name]: {count, after} for a line in which tickets may have lost their turn, since up to `count` slots
--   more are lacked ahead of them; `after` is the order up to which they were looked at, '' at first
--   movedTickets[order]: an attended ticket that joined, or waits for something else now
local wonLines, lostLines, movedTickets = {}, {}, {}

-- Notes that up to so many slots more are lacked in a line.
local function noteLost(name, count)
  lostLines[name] = { count = count + (lostLines[name] and lostLines[name].count or 0), after = '' }
end

-- Calls note(name) for the lines of a ticket in which it counts.
local function eachLine(ticket, note)
  for _, name in ipairs(matchOf(ticket) and {} or ticket.lines) do
    note(name)
  end
end

-- Returns true if no ticket is behind this one in the queue.
local function isLast(ticket)
  spend(1)
  return redis.call('ZRANGE', linesKey, '(\1' .. ticket.order, '(\2', 'BYLEX', 'LIMIT', 0, 1)[1] == nil
end
