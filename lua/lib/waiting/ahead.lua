-- Counts the tickets ahead of one.
--@include waiting/lines

-- Returns the number of members with a prefix that come before one.
local function countBefore(prefix, rest)
  nthOf(prefix, 1)
  local range = ranges[prefix]
  if not range.last or range.last >= rest then
    return placeIn(range, rest) - 1
  end
  spend(3)
  local count = redis.call('ZLEXCOUNT', linesKey, '[' .. prefix, '(' .. prefix .. rest)
  for other, isIn in pairs(lineWrites[prefix] or {}) do
    if other < rest then
      count = count + (isIn and 1 or -1)
    end
  end
  return count
end

-- Returns the number of tickets ahead of one in a line.
local function countAhead(name, order)
  local total = 0
  for _, kind in ipairs({ '\nl', '\nw', '\nv' }) do
    total = total + countBefore(name .. kind, order)
  end
  return total
end
