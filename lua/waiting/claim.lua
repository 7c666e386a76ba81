-- Claims grants: a caller is about to be told the release tokens, so the leases start now
-- (docs/specification.md#waiting-lifetimes).
local changing = require('waiting/changeTicket')
local clock = require('frame/clock')
local codec = require('slots/codec')
local grant = require('waiting/grant')
local lines = require('waiting/lines')
local ownership = require('reservations/owners')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local claiming = {}

-- Returns the ticket of a request; nil if it has none. A grant of which a session has released something is over.
function claiming.ticketOf(request)
  local order = lines.nthOf('\2' .. request.requester .. '\n' .. tickets.digestOf(request), 1)
  local ticket = order and tickets.ticketAt(order)
  for slot in string.gmatch(ticket and ticket.status == 'granted' and ticket.slots or '', '[^\n]+') do
    local reservation = slotMap.recordAt(slot)
    if not reservation or reservation.token ~= codec.UNCLAIMED or reservation.owner ~= request.requester then
      changing.changeTicket(ticket, { status = 'ended' })
      return nil
    end
  end
  return ticket
end

-- Returns the ticket to which an unclaimed reservation was granted; nil if it is not found.
local function ticketOfGrant(reservation)
  local MAX_SEARCHED_TICKETS = 200
  local wanted = '\n' .. reservation.slot .. '\n'
  for n = 1, MAX_SEARCHED_TICKETS do
    local rest = lines.nthOf('\2' .. reservation.owner .. '\n', n)
    if not rest then
      return nil
    end
    local ticket = tickets.ticketAt(rest)
    if ticket and ticket.status == 'granted' and string.find('\n' .. ticket.slots, wanted, 1, true) then
      return ticket
    end
  end
end

-- Returns the details of a reservation, with the session that it gets.
local function detailsInSession(details, session)
  local parts = details == '' and {} or cjson.decode(details)
  local further = parts.x or {}
  parts.x, further.session = nil, session
  return codec.withFurther(cjson.encode(parts), further)
end

-- The place of the claim that is run, nil for none: a reservation notes it for this script, as claimedAs.
local claimPlace

-- Starts the lease of an unclaimed reservation, of the tenant's longest lease at most. One of a session stays in it;
-- another one gets the session that the claiming request has, nil none.
local function startLease(reservation, token, ttlMs, session)
  local endsAt = clock.nowMs() + math.min(ttlMs, tenant.maxTtlMs or math.huge)
  local claimed = codec.copyWith(reservation, {
    token = token, expiresAt = reservation.session and 0 or endsAt, claimedAs = claimPlace,
  })
  if session and not reservation.session then
    claimed.session, claimed.expiresAt = session.id, 0
    claimed.details = detailsInSession(reservation.details, session.id)
  end
  slotMap.setRecord(reservation.slot, claimed)
  reservationEvents.emitRenewed(codec.copyWith(claimed, { expiresAt = ownership.endOf(claimed) }))
  return claimed
end

-- Returns true if a reservation has as many slots as an item asks for.
function claiming.isOfCount(reservation, item)
  local several = reservation.details ~= '' and cjson.decode(reservation.details).o
  return (item.count or 1) == (several and #several or 1)
end

-- Returns the item that a reservation was made for: of those that name it, the first that asks for as many slots, else
-- the first; nil if none names it.
local function itemOf(reservation, items)
  local first
  for _, item in ipairs(items) do
    if item.resource == reservation.requestedName then
      if #items == 1 or claiming.isOfCount(reservation, item) then
        return item
      end
      first = first or item
    end
  end
  return first
end

-- Claims all reservations of a granted ticket. Takes the items of the claiming request, which have the release tokens;
-- a reservation that none of them names gets the token of the first. `leases` are the items that have the leases.
-- Returns how long the ticket waited, in ms.
function claiming.claimTicket(ticket, items, leases)
  for slot in string.gmatch(ticket.slots, '[^\n]+') do
    local reservation = slotMap.recordAt(slot)
    if reservation and reservation.token == codec.UNCLAIMED and reservation.owner == ticket.requester then
      local lease = itemOf(reservation, leases) or tickets.matchOf(ticket) and leases[1] or {}
      local token = (itemOf(reservation, items) or items[1]).token
      startLease(reservation, token, lease.ttlMs or ticket.claimMs, lease.session)
    end
  end
  changing.changeTicket(ticket, { status = 'ended' })
  return ticket.grantedAt - ticket.since
end

-- Notes that a request was told of an unclaimed reservation: the whole grant is claimed once it is certain that the
-- request is not undone. A key with a prefix may not claim what was granted with other names. Returns the reply to the
-- item, as reserveOne() does.
function claiming.claim(reservation, item)
  local ticket = tenant.mayChange and ticketOfGrant(reservation)
  for slot in string.gmatch(ticket and ticket.slots or '', '[^\n]+') do
    if not tenant.mayChange(slot) then
      tenant.foreign = 'What was granted together with ' .. slot ..
        ' can only be claimed with a key that may change this.'
    end
  end
  local reply = {
    'ALREADY_HAD', 'ALREADY_HAD', string.format('%d', reservation.fence), ownership.endOf(reservation), '',
    reservation.details,
  }
  grant.claims[#grant.claims + 1] = { slot = reservation.slot, item = item, reply = reply }
  return reply
end

-- Claims the grant that a reservation belongs to, if nobody did, and completes the reply.
local function runClaim(one)
  local reservation = slotMap.recordAt(one.slot)
  if not (reservation and reservation.fence and string.format('%d', reservation.fence) == one.reply[3]) then
    -- A session released it in a later item.
    one.reply[5] = one.item.token
    return
  end
  if reservation.token == codec.UNCLAIMED then
    local ticket = ticketOfGrant(reservation)
    if ticket then
      claiming.claimTicket(ticket, { one.item }, ticket.items)
    else
      startLease(reservation, one.item.token, tonumber(one.item.ttlMs) or reservation.expiresAt - clock.nowMs())
    end
    reservation = slotMap.recordAt(one.slot)
  end
  one.reply[4], one.reply[5] = ownership.endOf(reservation), reservation.token
end

-- Claims the grants of which this request was told, and completes the replies.
function claiming.runClaims()
  for i, one in ipairs(grant.claims) do
    claimPlace = i
    if one.slot then
      runClaim(one)
    elseif one.ticket.status == 'granted' then
      claiming.claimTicket(one.ticket, one.items, one.items)
    end
  end
  claimPlace = nil
  grant.dropClaims(0)
end

function claiming.open()
  claimPlace = nil
end

return claiming
