-- Claims grants: a caller is about to be told the release tokens, so the leases start now
-- (docs/specification.md#waiting-lifetimes).
--@include emitRenewed
--@include unclaimed
--@include waiting/grant
local MAX_SEARCHED_TICKETS = 200

-- Returns the ticket of a request; nil if it has none.
local function ticketOf(requester, method, items)
  local digest = digestOf(requester, method, items)
  local order = nthOf('\2' .. requester .. '\n' .. digest, 1)
  return order and ticketAt(order)
end

-- Returns the ticket to which an unclaimed reservation was granted; nil if it is not found.
local function ticketOfGrant(reservation)
  local wanted = '\n' .. reservation.slot .. '\n'
  for n = 1, MAX_SEARCHED_TICKETS do
    local rest = nthOf('\2' .. reservation.owner .. '\n', n)
    if not rest then
      return nil
    end
    local ticket = ticketAt(rest)
    if ticket and ticket.status == 'granted' and string.find('\n' .. ticket.slots, wanted, 1, true) then
      return ticket
    end
  end
end

-- Starts the lease of an unclaimed reservation.
local function startLease(reservation, token, ttlMs)
  local claimed = copyWith(reservation, { token = token, expiresAt = nowMs + ttlMs })
  setRecord(reservation.slot, claimed)
  emitRenewed(claimed)
  return claimed
end

-- Claims all reservations of a granted ticket. Takes the items of the claiming request, which have the release tokens;
-- a reservation that none of them names gets the token of the first. Returns how long the ticket waited, in ms.
local function claimTicket(ticket, items)
  local tokens, ttls = {}, {}
  for _, item in ipairs(ticket.items) do
    ttls[item.resource] = item.ttlMs
  end
  for _, item in ipairs(items) do
    tokens[item.resource] = item.token
  end
  for slot in string.gmatch(ticket.slots, '[^\n]+') do
    local reservation = recordAt(slot)
    if reservation and reservation.token == UNCLAIMED and reservation.owner == ticket.requester then
      local name = reservation.requestedName
      startLease(reservation, tokens[name] or items[1].token, ttls[name] or ticket.claimMs)
    end
  end
  changeTicket(ticket, { status = 'ended' })
  return ticket.grantedAt - ticket.since
end

-- Claims the grant that a reservation belongs to, for a request that finds it. Returns the reply to the item, as
-- reserveOne() does.
local function claim(reservation, item)
  local ticket = ticketOfGrant(reservation)
  if ticket then
    claimTicket(ticket, { item })
  else
    startLease(reservation, item.token, tonumber(item.ttlMs) or reservation.expiresAt - nowMs)
  end
  local had = recordAt(reservation.slot)
  return { 'ALREADY_HAD', 'ALREADY_HAD', string.format('%d', had.fence), had.expiresAt, had.token, had.details }
end
