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

-- Ends every ticket of a requester that names a resource, granted and unclaimed ones too. Returns true if there was
-- one.
local function cancel(requester, name)
  local isFound, n = false, 1
  local rest = nthOf('\2' .. requester .. '\n', n)
  while rest do
    local ticket = ticketAt(rest)
    if ticket and isNamed(ticket, name) then
      isFound = true
      if ticket.status == 'granted' then
        takeBack(ticket)
        changeTicket(ticket, { status = 'ended' })
        wake(ticket, 'ENDED\tNOT_AVAILABLE\tNOT_AVAILABLE: cancelled\t-1')
      else
        endTicket(ticket, 'CANCELLED', 'NOT_AVAILABLE', 'NOT_AVAILABLE: cancelled', -1)
      end
    else
      n = n + 1
    end
    rest = nthOf('\2' .. requester .. '\n', n)
  end
  return isFound
end
