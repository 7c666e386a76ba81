-- Grants tickets: carries out their requests. The caller's next call claims the grant (endings.lua). Until then the
-- reservations have the token UNCLAIMED, and end claimMs after the grant. What is handed over is claimed at once
-- (handOver.lua).
local agenda = require('waiting/agenda')
local clock = require('frame/clock')
local codec = require('slots/codec')
local endings = require('waiting/endings')
local events = require('events/events')
local exempt = require('waiting/exempt')
local handOver = require('waiting/handOver')
local keeping = require('waiting/keeping')
local queues = require('waiting/queues')
local matching = require('reservations/match')
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local tellHolder = require('waiting/tellHolder')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local grant = {}

-- Returns the item of a request as reserveOne() takes it. A live request has a caller, who is told the token at once.
-- `look` is that of its matches (reservations/search.lua).
local function itemToGrant(ticket, item, look)
  if ticket.isLive then
    return {
      resource = item.resource, requester = ticket.requester, ttlMs = item.ttlMs, type = item.type, token = item.token,
      count = item.count, options = item.options, session = item.session, look = look,
    }
  end
  local token = ticket.token
  return {
    resource = item.resource, requester = ticket.requester, ttlMs = token and item.ttlMs or ticket.claimMs,
    leaseMs = item.ttlMs, type = item.type, token = token or codec.UNCLAIMED, label = ticket.label,
    count = item.count, options = item.options, claimMs = token and ticket.claimMs or nil,
    session = item.session, waited = clock.nowMs() - ticket.since, look = look,
  }
end

-- Returns the names of the queues that refused a request: some, and those of its matches, and of what was in the way of
-- these. Another choice for a match may make room for an item behind it.
local function withQueuesOf(look, refusals)
  local all, isIn = {}, {}
  for _, names in ipairs({ refusals, look and look.queues or {} }) do
    for _, name in ipairs(names) do
      if not isIn[name] then
        isIn[name], all[#all + 1] = true, name
      end
    end
  end
  return all
end

-- Carries out all items of a request, on paper. Returns an array of {reply, reservation, what was reserved}; or nil,
-- the place of the item that failed, its reply, the name of the queue that refused it and the names of all queues that
-- refused the request. `mark` is the journal's length before.
local function carryOutAll(ticket, mark)
  local done, entries = {}, {}
  local look = tickets.isLoose(ticket) and matching.newLook()
  for i, item in ipairs(ticket.items) do
    local one = itemToGrant(ticket, item, look)
    local reply, reservation, refusal = matching.reserveOne(one, entries)
    if not reply[3] then
      return nil, i - 1, reply, refusal, refusal and withQueuesOf(look, { refusal })
    end
    done[i] = { reply, reservation, one.resource }
  end
  local refused = keeping.refusedOf(entries, mark)
  if refused then
    return nil, 0, keeping.keptReply(), refused.queue, withQueuesOf(look, { refused.queue })
  end
  return done
end

-- Returns true if a requester has what an item asks for.
local function hasItem(requester, item)
  if tickets.matchOf(item) then
    return matching.reservationByMatch(requester, item) ~= nil
  end
  return needs.hadFor(item, requester) ~= nil
end

-- Carries out the first item of a request that can be, on paper. Returns as carryOutAll(), the names of the queues that
-- refused the items, and an array of {reply} for all items.
local function carryOutFirst(ticket)
  local refusals, first, place, fallback = {}, nil, nil, nil
  local look = tickets.isLoose(ticket) and matching.newLook()
  for i, item in ipairs(ticket.items) do
    if hasItem(ticket.requester, item) then
      local one = itemToGrant(ticket, item, look)
      return { [i] = { (matching.reserveOne(one)), nil, one.resource } }
    end
  end
  local tried = {}
  for i, item in ipairs(ticket.items) do
    local one = itemToGrant(ticket, item, look)
    local reply, reservation, refusal = matching.reserveOne(one)
    if reply[3] then
      tried[i] = { reply, reservation, one.resource }
      return tried
    elseif reply.isUnfinished then
      return nil, i - 1, reply, refusal
    end
    tried[i] = { reply }
    fallback = fallback or reply
    if reply[1] ~= 'NOT_VALID' and refusal then
      refusals[#refusals + 1] = refusal
      first, place = first or reply, place or i - 1
    end
  end
  return nil, place or 0, first or fallback, refusals[1], withQueuesOf(look, refusals), tried
end

-- Carries out the request of a ticket at its rank. Returns what carryOutAll() or carryOutFirst() does; if it fails,
-- nothing has changed.
function grant.carryOut(ticket)
  local mark, fence, rank, claimCount = #slotMap.journal, tenant.fence, exempt.rank, #endings.claims
  local requestMark = tenant.requestMark
  exempt.rank, tenant.requestMark = ticket.order, mark
  local done, place, reply, refusal, refusals, tried
  if ticket.method == 'FIRST' then
    done, place, reply, refusal, refusals, tried = carryOutFirst(ticket)
  else
    done, place, reply, refusal, refusals = carryOutAll(ticket, mark)
  end
  exempt.rank, tenant.requestMark = rank, requestMark
  if not done then
    slotMap.undo(mark)
    endings.dropClaims(claimCount)
    tenant.fence = fence
  end
  return done, place, reply, refusal, refusals, tried
end

-- Returns true if carrying a request out made a reservation: else its requester had it all.
function grant.isMadeIn(done)
  for _, one in pairs(done) do
    if one[2] then
      return true
    end
  end
  return false
end

-- Emits the events of a grant.
local function emitGrant(ticket, done)
  if not events.hasReaders then
    return
  end
  if ticket.method == '' then
    local reply, item, made = done[1][1], ticket.items[1], done[1][2]
    events.emit('RESERVED', {
      requestType = 'RESERVE', resource = made.requestedName, requester = ticket.requester,
      claimBy = made.token == codec.UNCLAIMED and made.expiresAt > 0 and made.expiresAt or nil,
      explanation = 'ACQUIRED',
      resourceType = item.type, apiKeyLabel = ticket.label, fencingToken = reply[3], expiresAt = reply[4],
      acquiredSlots = reservationEvents.slotsAsJson(reply[6]), note = item.options and item.options.note,
    })
  else
    endings.emitOfTicket('TRANSACTION_APPLIED', 'TRANSACTION', ticket, 'APPLIED', function(i)
      local reply, made = done[i] and done[i][1], done[i] and done[i][2]
      if not made then
        -- An item before it got the reservation, which is unclaimed as this one would be.
        return reply and reply[1] == 'ACQUIRED' and 'ALREADY_HAD' or reply and reply[1] or 'NOT_AVAILABLE'
      end
      return 'ACQUIRED', reservationEvents.leaseAsJson(reply, made.note), done[i][3]
    end)
  end
  endings.emitOfTicket('WAIT_ENDED', 'WAIT', ticket, 'ACQUIRED')
end

local function noteIfKept(name)
  if not queues.isOfMatch(name) and lines.freeAt(name) > 0 then
    queues.noteKept(name)
  end
end

-- Notes the queue in which a ticket waits if a slot is free there, and kept.
function grant.noteWaitsFor(ticket)
  noteIfKept(ticket.waitsFor)
  for _, name in ipairs(tickets.isLoose(ticket) and ticket.others or {}) do
    noteIfKept(name)
  end
end

-- Notes what came of a ticket that cannot be granted now: it ends, or waits for what refused it.
local function keepWaiting(ticket, reply, refusal, refusals)
  if reply.isUnfinished then
    agenda.addWalk('f', refusal)
  elseif refusal then
    local others = { unpack(refusals or {}, 2) }
    local isOther = refusal ~= ticket.waitsFor
    if isOther or table.concat(others, '\n') ~= table.concat(ticket.others, '\n') then
      agenda.changeTicket(ticket, { waitsFor = refusal, others = others })
    end
    if isOther then
      tellHolder(ticket)
    end
    grant.noteWaitsFor(ticket)
  elseif tickets.isLoose(ticket) and reply[1] == 'NOT_VALID' then
    endings.endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: its definitions have changed', -1)
  end
end

-- Returns the slots of the reservations that a grant made, as a ticket has them.
local function slotsMade(ticket, done)
  local slots = {}
  for i = 1, #ticket.items do
    local made = done[i] and done[i][2]
    slots[i] = (made and made.slot or '') .. '\n'
  end
  return table.concat(slots)
end

-- Grants a ticket if that is possible now. Returns true if it did; else false, and the ticket waits for what refused
-- it.
function grant.tryGrant(ticket)
  if ticket.status ~= 'attended' and ticket.status ~= 'detached' then
    return false
  elseif not tickets.isLoose(ticket) and keeping.isKeptFrom(ticket) then
    queues.noteKept(ticket.waitsFor)
    return false
  end
  work.spend(25 + 10 * #ticket.queues)
  local instance
  instance, ticket.token = handOver.callOf(ticket)
  local done, _, reply, refusal, refusals = grant.carryOut(ticket)
  if not done then
    keepWaiting(ticket, reply, refusal, refusals)
    return false
  end
  if not grant.isMadeIn(done) then
    endings.endTicket(ticket, 'ALREADY_HAD')
    return true
  end
  emitGrant(ticket, done)
  endings.wake(ticket, 'GRANTED', instance)
  if instance then
    reply = done[1][1]
    reply[7] = string.format('%.0f', clock.nowMs() - ticket.since)
    handOver.note(ticket, reply)
    agenda.changeTicket(ticket, { status = 'ended' })
    return true
  end
  agenda.changeTicket(ticket, {
    status = 'granted', slots = slotsMade(ticket, done), grantedAt = clock.nowMs(),
    due = ticket.session ~= '' and math.huge or clock.nowMs() + ticket.claimMs,
  })
  return true
end

return grant
