-- The part of the queue that cancels tickets.
--@include actorName
--@include release
--@include unclaimed
--@include waiting/endings
--@include waiting/places
--@include waiting/stateText

-- Releases the reservations of a grant that nobody has claimed.
local function takeBack(ticket)
  for slot in string.gmatch(ticket.slots, '[^\n]+') do
    local reservation = recordAt(slot)
    if reservation and reservation.token == UNCLAIMED and reservation.owner == ticket.requester then
      release(reservation)
      emit('UNRESERVED', {
        requestType = 'UNRESERVE', resource = reservation.requestedName, requester = reservation.owner,
        explanation = 'RELINQUISHED', resourceType = reservation.type, apiKeyLabel = tenant.keyLabel,
        actor = actorName(reservation.owner),
      })
    end
  end
end

-- Ends a ticket because its requester cancels it.
local function cancelTicket(ticket)
  if ticket.status == 'granted' then
    takeBack(ticket)
    changeTicket(ticket, { status = 'ended' })
    wake(ticket, 'ENDED\tNOT_AVAILABLE\tNOT_AVAILABLE: cancelled\t-1')
  else
    endTicket(ticket, 'CANCELLED', 'NOT_AVAILABLE', 'NOT_AVAILABLE: cancelled', -1)
  end
end

-- Ends every ticket of a requester that names one of `places`, granted and unclaimed ones too, and calls found() with
-- the first of these. A key with a prefix leaves those that name anything else. Starts after a cursor, '' at first.
-- Returns the next cursor once `work` is above a limit, nil at the end.
local function cancel(requester, places, cursor, limit, found)
  local STEP = 50
  local prefix = '\2' .. requester .. '\n'
  local last, rests = fromHex(cursor), nil
  repeat
    local lower = (last == '' and '[' or '(') .. prefix .. last
    rests = redis.call('ZRANGE', linesKey, lower, '(\2' .. requester .. '\11', 'BYLEX', 'LIMIT', 0, STEP)
    spend(3 + #rests / 4)
    local orders = {}
    for i, member in ipairs(rests) do
      rests[i] = string.sub(member, #prefix + 1)
      orders[i] = string.sub(member, -8)
    end
    readTickets(orders)
    for _, rest in ipairs(rests) do
      local ticket = ticketAt(rest)
      local place = ticket and placeOf(ticket, places)
      spend(1)
      if place and not (tenant.mayChange and not tenant.mayChangeAll(ticket.items)) then
        found(place)
        cancelTicket(ticket)
      end
      last = rest
      if work > limit then
        return toHex(last)
      end
    end
  until #rests < STEP
end
queue.addPlace, queue.cancel = addPlace, cancel
