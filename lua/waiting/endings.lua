-- Ends tickets, and tells the instances of their long polls. A granted one ends when it is claimed: a caller is about
-- to be told the release tokens, so the leases start then (docs/specification.md#waiting-lifetimes).
local agenda = require('waiting/agenda')
local claiming = require('waiting/claiming')
local clock = require('frame/clock')
local codec = require('slots/codec')
local events = require('events/events')
local history = require('history/ended')
local itemForms = require('frame/items')
local leases = require('bookings/leases')
local queues = require('waiting/queues')
local ownership = require('reservations/owners')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local endings = {}

-- Tells the instances that have long polls for a ticket. One of them, nil none, has the news from the reply to this
-- call.
function endings.wake(ticket, text, told)
  state.eachInstance(ticket.instance, function(instance)
    if instance == told then
      return
    end
    local list = endings.wakes[instance] or {}
    list[#list + 1] = tickets.ticketId(ticket) .. '\t' .. text
    endings.wakes[instance] = list
  end)
end

-- Returns the changes of a transaction's event, as JSON. Takes a function that returns the explanation of an item,
-- extra fields, and what was reserved for a match.
local function changesOf(ticket, explain)
  local changes = {}
  for i, item in ipairs(ticket.items) do
    local explanation, more, picked = explain(i)
    changes[i] = '{"resource":' .. events.quote(picked or item.resource) ..
      ',"requester":' .. events.quote(ticket.requester) ..
      ',"requestType":"RESERVE","explanation":"' .. explanation .. '"' .. (more or '') .. '}'
  end
  return '[' .. table.concat(changes, ',') .. ']'
end

-- Emits an event about a ticket. `explain` is as in changesOf(); nil: each item has the event's explanation.
function endings.emitOfTicket(type, requestType, ticket, explanation, explain)
  if not events.hasReaders or not events.isWanted(type, ticket.requester) then
    return
  end
  local fields = { requestType = requestType, explanation = explanation, apiKeyLabel = ticket.label }
  local first = ticket.items[1]
  if ticket.method == '' and requestType == 'WAIT' then
    reservationEvents.addWait(type, explanation, ticket.label, first.resource, ticket.requester, first.type)
    return
  elseif ticket.method == '' then
    fields.resource, fields.requester, fields.resourceType = first.resource, ticket.requester, first.type
  else
    fields.method, fields.person = ticket.method, ticket.requester
    fields.changes = changesOf(ticket, explain or function()
      return explanation
    end)
  end
  events.emit(type, fields)
end

-- Notes in the history that a wait came to nothing. One for several resources is noted for the one that it lacked.
local function noteWait(ticket, outcome)
  local first = ticket.items[1]
  local options = first.options
  work.spend(4)
  history.past = history.past or {}
  history.past[#history.past + 1] = 'W'
  history.past[#history.past + 1] = cjson.encode({
    number = tickets.ticketId(ticket), since = ticket.since, at = clock.nowMs(), ending = outcome,
    requester = ticket.requester, label = ticket.label,
    resource = ticket.method == '' and first.resource or queues.toldName(ticket.waitsFor),
    type = first.type,
    mode = options and itemForms.isSharedItem(first) and 'SHARED' or 'EXCLUSIVE', note = options and options.note,
  })
end

-- Ends a ticket that waits. `outcome` is the explanation of WAIT_ENDED; `status`, `explanation` and `place` are for the
-- caller: the result of the item at this place (-1 all).
function endings.endTicket(ticket, outcome, status, explanation, place)
  if outcome == 'ELAPSED' then
    if ticket.method == '' then
      endings.emitOfTicket('RESERVE_FAILED', 'RESERVE', ticket, status)
    else
      endings.emitOfTicket('TRANSACTION_ROLLED_BACK', 'TRANSACTION', ticket, 'ROLLED_BACK', function(i)
        return (place == -1 or i - 1 == place) and status or 'NOT_AVAILABLE'
      end)
    end
  end
  endings.emitOfTicket('WAIT_ENDED', 'WAIT', ticket, outcome)
  local isHeld = outcome == 'ACQUIRED' or outcome == 'ALREADY_HAD'
  if not isHeld and tenant.limits.history > 0 then
    noteWait(ticket, outcome)
  end
  endings.wake(ticket, isHeld and 'GRANTED' or table.concat({ 'ENDED', status, explanation, place }, '\t'))
  agenda.changeTicket(ticket, { status = 'ended' })
end

-- Ends the tickets of a session that is over, until `work` is above a limit, but one at least. Returns true if none is
-- left.
function endings.endTicketsOf(session, limit)
  local prefix = '\8' .. session .. '\n'
  local order = queues.nthOf(prefix, 1)
  while order do
    local ticket = tickets.ticketAt(order)
    if ticket.status == 'granted' then
      agenda.changeTicket(ticket, { status = 'ended' })
      endings.wake(ticket, 'ENDED\tNOT_VALID\tNOT_VALID: the session has ended\t-1')
    else
      endings.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: the session has ended', -1)
    end
    order = queues.nthOf(prefix, 1)
    if order and work.done > limit then
      return false
    end
  end
  return true
end

-- Forgets claims, but for the first ones.
function endings.dropClaims(count)
  for i = #endings.claims, count + 1, -1 do
    endings.claims[i] = nil
  end
end

-- Returns the ticket of a request; nil if it has none. A grant of which a session has released something is over.
function endings.ticketOf(request)
  local order = queues.nthOf('\2' .. request.requester .. '\n' .. tickets.digestOf(request), 1)
  local ticket = order and tickets.ticketAt(order)
  for slot in string.gmatch(ticket and ticket.status == 'granted' and ticket.slots or '', '[^\n]+') do
    local reservation = slotMap.recordAt(slot)
    if not reservation or reservation.token ~= codec.UNCLAIMED or reservation.owner ~= request.requester then
      agenda.changeTicket(ticket, { status = 'ended' })
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
    local rest = queues.nthOf('\2' .. reservation.owner .. '\n', n)
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
  local extras = parts.x or {}
  parts.x, extras.session = nil, session
  return codec.withExtras(cjson.encode(parts), extras)
end

-- The place of the claim that is run, nil for none: a reservation notes it for this script, as claimedAs.
local claimPlace

-- Starts the lease of an unclaimed reservation, of the tenant's longest lease at most. One of a session stays in it;
-- another one gets the session that the claiming request has, nil none. A lease ends before the first booking.
local function startLease(reservation, token, ttlMs, session)
  local endsAt = math.min(clock.nowMs() + math.min(ttlMs, tenant.maxTtlMs or math.huge), claiming.limitOf(reservation))
  local claimed = codec.copyWith(reservation, {
    token = token, expiresAt = reservation.session and 0 or endsAt, leasedAt = clock.nowMs(), claimedAs = claimPlace,
  })
  if session and not reservation.session then
    claimed.session, claimed.expiresAt = session.id, 0
    claimed.details = detailsInSession(reservation.details, session.id)
  end
  slotMap.setRecord(reservation.slot, claimed)
  reservationEvents.emitRenewed(codec.copyWith(claimed, { expiresAt = ownership.endOf(claimed) }))
  return claimed
end

-- Claims all reservations of a granted ticket. Takes the items of the claiming request, which have the release tokens:
-- a reservation for which it has no item gets the token of the first. `lasting` are the items that have the leases, as
-- in the ticket. Returns how long the ticket waited, in ms.
function endings.claimTicket(ticket, items, lasting)
  local place = 0
  for slot in string.gmatch(ticket.slots, '([^\n]*)\n') do
    local reservation = slot ~= '' and slotMap.recordAt(slot)
    place = place + 1
    if reservation and reservation.token == codec.UNCLAIMED and reservation.owner == ticket.requester then
      local lease = lasting[place]
      startLease(reservation, (items[place] or items[1]).token, lease.ttlMs, lease.session)
    end
  end
  agenda.changeTicket(ticket, { status = 'ended' })
  return ticket.grantedAt - ticket.since
end

-- Notes that a request was told of an unclaimed reservation: the whole grant is claimed once it is certain that the
-- request is not undone. A key with a prefix may not claim what was granted with other names. Returns the reply to the
-- item, as reserveOne() does.
function endings.claim(reservation, item)
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
  endings.claims[#endings.claims + 1] = { slot = reservation.slot, item = item, reply = reply }
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
      endings.claimTicket(ticket, { one.item }, ticket.items)
    else
      startLease(reservation, one.item.token, one.item.ttlMs or reservation.expiresAt - clock.nowMs())
    end
    reservation = slotMap.recordAt(one.slot)
  end
  one.reply[4], one.reply[5] = ownership.endOf(reservation), reservation.token
  leases.tellCut(one.reply, reservation, one.item)
end

-- Claims the grants of which this request was told, and completes the replies.
function endings.runClaims()
  for i, one in ipairs(endings.claims) do
    claimPlace = i
    if one.slot then
      runClaim(one)
    elseif one.ticket.status == 'granted' then
      endings.claimTicket(one.ticket, one.items, one.items)
    end
  end
  claimPlace = nil
  endings.dropClaims(0)
end

function endings.open()
  -- wakes[instance]: lines of the message to an instance. A line has a ticket, then GRANTED; or ENDED, status,
  -- explanation, and the place of the item that failed (-1 all), with tabs between.
  endings.wakes = {}
  -- claims: what this request has to claim, in order: {slot, item, reply} for a reservation that it was told of,
  -- {ticket, items} for a ticket that it continues.
  endings.claims, claimPlace = {}, nil
end

return endings
