-- Lists the tickets that wait.
--@include waiting/places
--@include waiting/toldName
--@include waiting/stateText

-- Returns the note of a request: the first that an item of it has; '' if none has one.
local function noteOf(items)
  for _, item in ipairs(items) do
    if item.options and item.options.note then
      return item.options.note
    end
  end
  return ''
end

-- Returns a ticket's row (commands/waiting/waiting.lua).
local function rowOf(ticket)
  local resources = {}
  for i, item in ipairs(ticket.items) do
    resources[i] = item.resource
  end
  return table.concat({
    ticketId(ticket), ticket.requester, table.concat(resources, '\t'), ticket.method, 100 - string.byte(ticket.order),
    string.format('%.0f', ticket.since), string.format('%.0f', ticket.endsAt), toldName(ticket.waitsFor),
    ticket.status == 'attended' and 1 or 0, ticket.label,
    noteOf(ticket.items),
  }, '\n')
end

-- Returns the rows of the tickets after a cursor that match, and the next cursor; '' at the end. Looks at `limit`
-- tickets at most.
queue.page = function(cursor, limit, requester, resource)
  local STEP, MAX_LISTED_WORK = 50, 1500
  local rows, last, looked, places = {}, fromHex(cursor), 0, {}
  if resource ~= '' then
    addPlace(places, resource, 1)
  end
  -- At least once: a page without a row would be taken for the last one.
  repeat
    local members = redis.call('ZRANGE', linesKey, '(\1' .. last, '(\2', 'BYLEX', 'LIMIT', 0, STEP)
    local orders = {}
    for i, member in ipairs(members) do
      orders[i] = string.sub(member, 2)
    end
    readTickets(orders)
    for _, order in ipairs(orders) do
      local ticket = ticketAt(order)
      if ticket and (requester == '' or ticket.requester == requester) and
        (resource == '' or placeOf(ticket, places)) then
        spend(3)
        rows[#rows + 1] = rowOf(ticket)
      end
    end
    looked, last = looked + STEP, orders[#orders] or last
    if #members < STEP then
      return rows, ''
    end
  until looked >= limit or work >= MAX_LISTED_WORK
  return rows, toHex(last)
end
