-- Lists the tickets that wait.
--@include waiting/places
--@include waiting/toldName
--@include waiting/stateText
--@include waiting/whyWaiting

-- Returns a ticket's row (commands/waiting/waiting.lua). `why`: who is in the way, '' if that is not asked for.
local function rowOf(ticket, why)
  local resources = {}
  for i, item in ipairs(ticket.items) do
    resources[i] = item.resource
  end
  return table.concat({
    ticketId(ticket), ticket.requester, table.concat(resources, '\t'), ticket.method, 100 - string.byte(ticket.order),
    string.format('%.0f', ticket.since), string.format('%.0f', ticket.endsAt), toldName(ticket.waitsFor),
    ticket.status == 'attended' and 1 or 0, ticket.label,
    noteOf(ticket.items), why,
  }, '\n')
end

-- Returns who is in the way of a ticket. `known`: what was found for other tickets of the page.
local function whyOf(ticket, known)
  local key = kindOf(ticket) .. ticket.waitsFor
  if string.sub(ticket.waitsFor, 1, 1) == MATCH then
    key = ticket.order
  end
  known[key] = known[key] or whyWaiting(ticket, false)
  return known[key]
end

-- Returns the rows of the tickets after a cursor that match, and the next cursor; '' at the end. Looks at `limit`
-- tickets at most.
queue.page = function(cursor, limit, requester, resource)
  local STEP, MAX_LISTED_WORK = 50, 1500
  local rows, last, looked, places, whys = {}, fromHex(cursor), 0, {}, {}
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
    for i, order in ipairs(orders) do
      local ticket = ticketAt(order)
      if ticket and (requester == '' or ticket.requester == requester) and
        (resource == '' or placeOf(ticket, places)) then
        spend(3)
        local why = whyOf(ticket, whys)
        rows[#rows + 1] = rowOf(ticket, why)
      end
      last = order
      if work >= MAX_LISTED_WORK and i < #orders then
        return rows, toHex(last)
      end
    end
    looked = looked + STEP
    if #members < STEP then
      return rows, ''
    end
  until looked >= limit or work >= MAX_LISTED_WORK
  return rows, toHex(last)
end
