-- Finds those who wait for one resource, without looking at the rest of the queue.
--@include waiting/page

-- Returns {place, row, ...} of the first tickets in the line of a resource and, if it is a pool, in those of its slots,
-- in the order of the queue; and how many tickets wait for these.
queue.firstInLine = function(name, isPool, limit)
  local found, total = {}, 0
  local function add(line, kind, order)
    found[#found + 1] = { line = line, order = order, rank = (kind == 'w' or kind == 'v' or kind == 'u') and 0 or 1 }
  end
  for kind in string.gmatch('dfluvw', '.') do
    local prefix = name .. '\n' .. kind
    local upper = '(' .. name .. '\n' .. string.char(string.byte(kind) + 1)
    local members = redis.call('ZRANGE', linesKey, '[' .. prefix, upper, 'BYLEX', 'LIMIT', 0, limit)
    spend(3 + #members / 4)
    for _, member in ipairs(members) do
      add(name, kind, string.sub(member, #prefix + 1))
    end
    if kind == 'w' or kind == 'v' then
      total = total + (#members < limit and #members or redis.call('ZLEXCOUNT', linesKey, '[' .. prefix, upper))
    end
  end
  local MAX_SLOT_MEMBERS = 300
  local ofSlots = isPool and redis.call(
    'ZRANGE', linesKey, '[' .. name .. '_0', '(' .. name .. '_:', 'BYLEX', 'LIMIT', 0, MAX_SLOT_MEMBERS
  ) or {}
  spend(#ofSlots / 2)
  for _, member in ipairs(ofSlots) do
    local line, kind, order = string.match(string.sub(member, #name + 1), '^(_%d+)\n([dfluvw])(.*)$')
    if line then
      add(name .. line, kind, order)
      total = total + ((kind == 'w' or kind == 'v') and 1 or 0)
    end
  end
  -- A ticket may be in several of the lines: that of what it waits for comes first.
  table.sort(found, function(one, other)
    if one.order == other.order then
      return one.rank < other.rank
    end
    return one.order < other.order
  end)
  local orders, places, rows = {}, {}, {}
  for _, one in ipairs(found) do
    if #orders < limit and one.order ~= orders[#orders] then
      orders[#orders + 1] = one.order
      places[#orders] = one.line
    end
  end
  readTickets(orders)
  for i, order in ipairs(orders) do
    local ticket = ticketAt(order)
    if ticket then
      spend(3)
      rows[#rows + 1] = places[i]
      rows[#rows + 1] = rowOf(ticket, '')
    end
  end
  return rows, total
end
