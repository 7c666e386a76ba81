-- The part of the queue for requests that may wait, and for those that may claim a grant: their replies.
local claiming = require('waiting/claim')
local lines = require('waiting/lines')
local matches = require('waiting/matches')
local needs = require('waiting/needs')
local pages = require('waiting/page')
local reserving = require('reservations/reserve')
local slotMap = require('slots/slots')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local answer = {}
local SKIPPED = { 'NOT_AVAILABLE', 'SKIPPED' }
-- How much work a script has done to find out who is in the way of its requests.
local whyWork

-- Returns the reply to each item of a request that waits: {'WAITING', explanation, ticket, ahead, waitsFor, since ms,
-- until ms, who is in the way (whyNot() in reservations/why.lua; '' if that takes more work than one script may do)}.
local function waitingReply(ticket)
  local MAX_WHY_WORK = 2000
  local ahead, before, why = lines.countAhead(ticket.waitsFor, ticket.order), work.done, ''
  if whyWork < MAX_WHY_WORK then
    why = pages.whyWaiting(ticket, ticket.order)
    whyWork = whyWork + work.done - before
  end
  return {
    'WAITING', ahead == 0 and 'WAITING: you are next' or 'WAITING: ' .. ahead .. ' before you',
    tickets.ticketId(ticket), ahead,
    pages.toldName(ticket.waitsFor), string.format('%.0f', ticket.since), string.format('%.0f', ticket.endsAt), why,
  }
end

-- Returns a reply for the events of a request that was asked, and the reservation that it made, nil for none.
function answer.firstReply(outcome)
  if outcome.done then
    return outcome.done[1][1], outcome.done[1][2]
  end
  return outcome.reply or { 'ACQUIRED' }
end

-- Returns the reservation that a requester has of an item; nil if there is none. `slots` are those of the ticket: what
-- was granted by the name of the item comes first, since the name may have another meaning by now.
local function heldOfItem(requester, item, slots)
  if item.options and item.options.match then
    local granted = string.match(slots, '[^\n]+')
    local record = granted and slotMap.recordAt(granted)
    return record and record.owner == requester and record.match and record or matches.heldByMatch(requester, item)
  end
  for granted in string.gmatch(slots, '[^\n]+') do
    local record = slotMap.recordAt(granted)
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
-- Of a FIRST, that is one item: of those that name what was granted, the first that asks for as many slots.
local function repliesOfHeld(request, ticket, waitedMs)
  local replies, hads, told, isExact = {}, {}, nil, false
  local slots = '\n' .. ticket.slots
  for i, item in ipairs(request.items) do
    local had = heldOfItem(request.requester, item, ticket.slots)
    hads[i] = had
    if had and not isExact and (slots == '\n' or string.find(slots, '\n' .. had.slot .. '\n', 1, true)) then
      isExact = slots == '\n' or had.requestedName == item.resource and claiming.isOfCount(had, item)
      told = isExact and i or told or i
    end
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
-- reply is one of reserveOne(), with waitedMs as 7th field if it is ACQUIRED; or one of waitingReply().
function answer.answer(outcome, request)
  local ticket, claimed, waitedMs = outcome.ticket, outcome.claimed, outcome.waitedMs
  if ticket and ticket.status == 'granted' then
    claimed, waitedMs = ticket, claiming.claimTicket(ticket, request.items, request.items)
  end
  local replies = {}
  if claimed or ticket and ticket.status == 'ended' then
    replies = repliesOfHeld(request, claimed or ticket, waitedMs or 0)
  else
    for i = 1, #request.items do
      replies[i] = ticket and waitingReply(ticket) or replyOfTried(outcome, i)
    end
  end
  claiming.runClaims()
  return replies
end

function answer.open()
  whyWork = 0
end

return answer
