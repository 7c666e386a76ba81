-- Tells a requester where its requests stand.
--@include unclaimed
--@include waiting/ahead
--@include waiting/toldName
--@include waiting/stateText

-- Returns until when the grant of a ticket can be claimed, in ms; nil if it is over.
local function claimableUntil(ticket)
  local slot = string.match(ticket.slots, '[^\n]+')
  local record = slot and recordAt(slot)
  return record and record.token == UNCLAIMED and record.owner == ticket.requester and record.expiresAt or nil
end

-- Returns a row for each of the first tickets of a requester (commands/waiting/standings.lua).
queue.standings = function(requester)
  local MAX_ROWS = 50
  local prefix = '\2' .. requester .. '\n'
  local members = redis.call(
    'ZRANGE', linesKey, '[' .. prefix, '(\2' .. requester .. '\11', 'BYLEX', 'LIMIT', 0, MAX_ROWS
  )
  local rests, orders, rows = {}, {}, {}
  for i, member in ipairs(members) do
    rests[i], orders[i] = string.sub(member, #prefix + 1), string.sub(member, -8)
  end
  readTickets(orders)
  for _, rest in ipairs(rests) do
    local ticket = ticketAt(rest)
    local isGranted = ticket and ticket.status == 'granted'
    local untilMs = isGranted and claimableUntil(ticket) or ticket and not isGranted and ticket.status ~= 'ended' and ticket.endsAt
    if untilMs then
      local resources = {}
      for i, item in ipairs(ticket.items) do
        resources[i] = item.resource
      end
      rows[#rows + 1] = table.concat({
        isGranted and 1 or 0, isGranted and 0 or countAhead(ticket.waitsFor, ticket.order), toldName(ticket.waitsFor),
        string.format('%.0f', ticket.since), string.format('%.0f', untilMs),
        isSharedItem(ticket.items[1]) and 'SHARED' or '', table.concat(resources, '\t'),
      }, '\n')
    end
  end
  return rows
end
