-- Cancels tickets.
--@include release
--@include unclaimed
--@include waiting/endings

-- Returns true if a request names the resource that a name means, or has an item of that very name.
local function isNamed(ticket, name)
  local resource, slot = resolve(name)
  for _, item in ipairs(ticket.items) do
    if item.resource == name then
      return true
    elseif resource then
      local other, otherSlot = resolve(item.resource)
      if other == resource and otherSlot == slot then
        return true
      end
    end
  end
  return false
end

-- Releases the reservations of a grant that nobody has claimed.
local function takeBack(ticket)
  for slot in string.gmatch(ticket.slots, '[^\n]+') do
    local reservation = recordAt(slot)
    if reservation and reservation.token == UNCLAIMED and reservation.owner == ticket.requester then
      release(reservation)
      emit('UNRESERVED', {
        requestType = 'UNRESERVE', resource = reservation.requestedName, requester = reservation.owner,
        explanation = 'RELINQUISHED', resourceType = reservation.type, apiKeyLabel = tenant.keyLabel,
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

-- Ends every ticket of a requester that names a resource, granted and unclaimed ones too. Starts after a cursor, ''
-- at first. Returns true if there was one; and the next cursor, '' at the end: a piece of work is done before that.
local function cancel(requester, name, cursor)
  local STEP, MAX_PIECE_WORK = 50, 3000
  local prefix = '\2' .. requester .. '\n'
  local isFound, last, rests = false, fromHex(cursor), nil
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
      spend(1)
      if ticket and isNamed(ticket, name) then
        isFound = true
        cancelTicket(ticket)
      end
      last = rest
      if work > MAX_PIECE_WORK then
        return isFound, toHex(last)
      end
    end
  until #rests < STEP
  return isFound, ''
end
