-- Lists the tickets that wait.
--@include waiting/cancel

-- Returns a ticket's row (commands/waiting/waiting.lua).
local function rowOf(ticket)
  local resources = {}
  for i, item in ipairs(ticket.items) do
    resources[i] = item.resource
  end
  return table.concat({
    ticketId(ticket), ticket.requester, table.concat(resources, '\t'), ticket.method, 100 - string.byte(ticket.order),
    string.format('%.0f', ticket.since), string.format('%.0f', ticket.endsAt), ticket.waitsFor,
    ticket.status == 'attended' and 1 or 0, ticket.label,
  }, '\n')
end

-- Returns the rows of the tickets after a cursor that match, and the next cursor; '' at the end. Looks at `limit`
-- tickets at most.
local function page(cursor, limit, requester, resource)
  local STEP, MAX_LISTED_WORK = 50, 3000
  local rows, last, looked = {}, fromHex(cursor), 0
  while looked < limit and work < MAX_LISTED_WORK do
    local members = redis.call('ZRANGE', linesKey, '(\1' .. last, '(\2', 'BYLEX', 'LIMIT', 0, STEP)
    local orders = {}
    for i, member in ipairs(members) do
      orders[i] = string.sub(member, 2)
    end
    readTickets(orders)
    for _, order in ipairs(orders) do
      local ticket = ticketAt(order)
      if ticket and (requester == '' or ticket.requester == requester) and
        (resource == '' or isNamed(ticket, resource)) then
        spend(3)
        rows[#rows + 1] = rowOf(ticket)
      end
    end
    looked, last = looked + STEP, orders[#orders] or last
    if #members < STEP then
      return rows, ''
    end
  end
  return rows, toHex(last)
end

-- Notes that a call for a ticket has ended, if this instance held the last one.
local function leave(id, instance)
  local ticket = ticketAt(struct.pack('>I7', tonumber(id)))
  if ticket and ticket.status == 'attended' and ticket.instance == instance and ticket.heldUntil > nowMs then
    changeTicket(ticket, { heldUntil = nowMs, due = math.min(ticket.endsAt, nowMs + ticket.claimMs) })
  end
end
