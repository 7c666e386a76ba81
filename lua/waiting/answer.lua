-- The replies to requests that may wait, and to those that may claim a grant; and who is in the way of a ticket.
local endings = require('waiting/endings')
local fitting = require('waiting/fitting')
local flags = require('frame/call').flags
local isoTime = require('frame/isoTime')
local itemForms = require('frame/items')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local queues = require('waiting/queues')
local matching = require('reservations/match')
local naming = require('definitions/names')
local needs = require('waiting/needs')
local reasons = require('reservations/why')
local registry = require('definitions/definitions')
local reserving = require('reservations/reserve')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local turns = require('waiting/turns')
local waitsFor = require('waiting/waitsFor')
local wanted = require('reservations/wanted')
local work = require('frame/work')
local answer = {}

-- Returns true if a resource is above another one in the tree.
local function isAbove(name, resource)
  local above = resource and registry.definition(resource) and registry.definition(resource).parent or ''
  while above ~= name and above ~= '' and registry.definition(above) do
    above = registry.definition(above).parent
  end
  return above == name and registry.definition(name) ~= false
end

-- Returns the kind of what a ticket waits for if that is what an item names.
local function kindOfOwn(ticket, name, item)
  local hold, count = itemForms.isSharedItem(item) and slotMap.recordAt(name), item.count or 1
  local isKept = waitsFor.freeFor(ticket, ticket.waitsFor, count) >= count or hold and shared.isSharedHold(name, hold)
  return isKept and 'QUEUE' or fitting.bookedFrom(turns.knownNow(), ticket) and 'BOOKING' or 'SLOTS'
end

-- Returns what kind of thing a ticket waits for (whyNot() in reservations/why.lua).
function answer.kindOf(ticket)
  local name, kind = lines.lineOf(ticket.waitsFor), 'BLOCKER'
  for _, item in ipairs(ticket.items) do
    local resource, slot
    if not tickets.matchOf(item) then
      resource, slot = naming.resolve(item.resource)
    end
    if name == resource or name == slot then
      return kindOfOwn(ticket, name, item)
    end
    kind = isAbove(name, resource) and 'ANCESTOR' or kind
  end
  return lines.freeAt(ticket.waitsFor) > 0 and 'QUEUE' or kind
end

-- Returns the first resources that fit the match of an item, of the first few that have one of its labels.
local function fittingFor(item)
  local MAX_FITTING = 50
  local want, found = wanted.by(item.options.match, item.options.prefix), {}
  for _, label in ipairs(tenant.labelled and want.groups[1] or {}) do
    local prefix = 'l' .. label
    local members = redis.call(
      'ZRANGE', keys.nameIndex, '[' .. prefix .. '\n', '(' .. prefix .. '\11', 'BYLEX', 'LIMIT', 0, MAX_FITTING
    )
    for _, member in ipairs(members) do
      local name = string.sub(member, #prefix + 2)
      work.spend(5)
      if wanted.fits(want, name) and #found < MAX_FITTING then
        found[#found + 1] = name
      end
    end
  end
  return found
end

-- Returns the item of a ticket whose match it waits for; nil if that is none.
local function itemOfMatch(ticket)
  for _, item in ipairs(queues.isOfMatch(ticket.waitsFor) and ticket.items or {}) do
    if tickets.matchOf(item) and matching.queueOf(item) == ticket.waitsFor then
      return item
    end
  end
end

-- Reads the first tickets that wait for a name at once: whyNot() will name them.
local function readNext(name)
  local FIRST, orders = 3, {}
  for n = 1, FIRST do
    orders[n] = queues.nthOf(name .. '\nw', n)
  end
  tickets.readTickets(orders)
end

-- Returns who is in the way of a ticket, as whyNot() does. `before` is as there.
function answer.whyWaiting(ticket, before)
  if before then
    readNext(ticket.waitsFor)
  end
  local name, item = queues.toldName(ticket.waitsFor), itemOfMatch(ticket)
  if item then
    return reasons.whyNot('SLOTS', name, fittingFor(item), false)
  end
  return reasons.whyNot(answer.kindOf(ticket), name, { name }, before)
end

local SKIPPED = { 'NOT_AVAILABLE', 'SKIPPED' }
-- Work that a script has done to find out who is in the way of its requests.
local whyWork

-- Returns the reply to all items of a request that waits: {'WAITING', explanation, ticket, ahead, waitsFor, since ms,
-- until ms, who is in the way (whyNot() in reservations/why.lua; '' if that is not asked for, or takes more work than
-- one script may do)}; if it does not fit, also the latest end that would do, in ms.
local function waitingReply(ticket, isWhyAsked)
  local MAX_WHY_WORK = 2000
  local ahead, before, why = queues.countAhead(ticket.waitsFor, ticket.order), work.done, ''
  if isWhyAsked and whyWork < MAX_WHY_WORK then
    why = answer.whyWaiting(ticket, ticket.order)
    whyWork = whyWork + work.done - before
  end
  local bookedFrom = fitting.bookedFrom(turns.knownNow(), ticket)
  local explanation = bookedFrom and 'WAITING: booked from ' .. isoTime.of(bookedFrom) or
    ahead == 0 and 'WAITING: you are next' or 'WAITING: ' .. ahead .. ' before you'
  return {
    'WAITING', explanation, tickets.ticketId(ticket), ahead,
    queues.toldName(ticket.waitsFor), string.format('%.0f', ticket.since), string.format('%.0f', ticket.endsAt), why,
    bookedFrom and string.format('%.0f', bookedFrom),
  }
end

-- Returns the replies to the requests of tickets that wait now, as texts; '' for one that does not wait any more. Takes
-- the tickets' numbers in decimal.
function answer.tellWaits(ids)
  local orders, replies = {}, {}
  for i, id in ipairs(ids) do
    orders[i] = '.' .. struct.pack('>I7', tonumber(id))
  end
  tickets.readTickets(orders)
  for i, order in ipairs(orders) do
    local ticket = tickets.ticketAt(order)
    local waits = ticket and ticket.status ~= 'granted' and ticket.status ~= 'ended'
    replies[i] = waits and table.concat(waitingReply(ticket, true), '\n') or ''
  end
  return replies
end

-- Returns a reply for the events of a request that was asked, and the reservation that it made, nil for none.
function answer.firstReply(outcome)
  if outcome.done then
    return outcome.done[1][1], outcome.done[1][2]
  end
  return outcome.reply or { 'ACQUIRED' }
end

-- Returns the reservation that a requester has of an item; nil if there is none. `slot`: what a ticket was granted for
-- the item, '' nothing. `slots`: all that it was granted. These come first, since a name may have another meaning by
-- now.
local function heldOfItem(requester, item, slot, slots)
  local record = slot ~= '' and slotMap.recordAt(slot)
  if record and record.owner == requester then
    return record
  elseif tickets.matchOf(item) then
    return matching.reservationByMatch(requester, item)
  end
  for _, granted in ipairs(slots) do
    record = granted ~= '' and slotMap.recordAt(granted)
    if record and record.owner == requester and record.requestedName == item.resource then
      return record
    end
  end
  return needs.hadFor(item, requester)
end

-- Returns the reply to an item of which the requester has a reservation.
local function replyOfHeld(had, item, waitedMs)
  local reply = reserving.replyOfHad(had, item)
  if reply[1] == 'ACQUIRED' then
    reply[7] = string.format('%.0f', waitedMs)
  end
  return reply
end

-- Returns the replies to the items of a request whose ticket was granted, or had ended since its requester has it all.
-- Of a FIRST, that is one item: that for which it was granted, else the first that its requester has.
local function repliesOfHeld(request, ticket, waitedMs)
  local replies, hads, slots, told = {}, {}, {}, nil
  for slot in string.gmatch(ticket.slots, '([^\n]*)\n') do
    slots[#slots + 1] = slot
    told = told or slot ~= '' and #slots or nil
  end
  for i, item in ipairs(request.items) do
    hads[i] = heldOfItem(request.requester, item, slots[i] or '', slots)
    told = told or hads[i] and i or nil
  end
  for i, item in ipairs(request.items) do
    if hads[i] and (request.method ~= 'FIRST' or i == told) then
      replies[i] = replyOfHeld(hads[i], item, waitedMs)
    else
      replies[i] = SKIPPED
    end
  end
  return replies
end

-- Returns the reply to one of the items of a request that was carried out at once, or refused.
local function replyOfTried(outcome, i)
  local one = outcome.done and outcome.done[i]
  if one and one[2] then
    one[1][7] = string.format('%.0f', outcome.waitedMs)
  end
  if outcome.done then
    return one and one[1] or SKIPPED
  elseif outcome.tried then
    return outcome.tried[i][1]
  end
  return i - 1 == outcome.place and outcome.reply or { 'NOT_AVAILABLE', 'ROLLED_BACK' }
end

-- Returns an array of the replies to the items of a request, once the queue is settled. Takes what ask() returned. A
-- reply is one of reserveOne(), with waitedMs as 7th field if it is ACQUIRED; or one of waitingReply(). A long
-- poll is not told here who is in the way: most end with a grant, and the others read it at their end (tellWaits()).
function answer.answer(outcome, request)
  local ticket, claimed, waitedMs = outcome.ticket, outcome.claimed, outcome.waitedMs
  if ticket and ticket.status == 'granted' then
    claimed, waitedMs = ticket, endings.claimTicket(ticket, request.items, request.items)
  end
  local replies = {}
  if claimed or ticket and ticket.status == 'ended' then
    replies = repliesOfHeld(request, claimed or ticket, waitedMs or 0)
  else
    local waiting = ticket and waitingReply(ticket, request.call.pollMs == 0 or flags.isDry)
    for i = 1, #request.items do
      replies[i] = waiting or replyOfTried(outcome, i)
    end
  end
  endings.runClaims()
  return replies
end

function answer.open()
  whyWork = 0
end

return answer
