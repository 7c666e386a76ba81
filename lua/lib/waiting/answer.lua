-- The replies to requests that may wait.
--@include waiting/ask
local SKIPPED = { 'NOT_AVAILABLE', 'SKIPPED' }

-- Returns the number of tickets ahead of one in a line.
local function countAhead(name, order)
  local MAX_COUNTED, total = 130, 0
  for _, kind in ipairs({ '\nl', '\nw', '\nv' }) do
    local prefix, n = name .. kind, 1
    local other = nthOf(prefix, n)
    while other and other < order do
      total, n = total + 1, n + 1
      if n > MAX_COUNTED then
        spend(3)
        total = total + redis.call('ZLEXCOUNT', linesKey, '(' .. prefix .. other, '(' .. prefix .. order)
        break
      end
      other = nthOf(prefix, n)
    end
  end
  return total
end

-- Returns the reply to each item of a request that waits: {'WAITING', explanation, ticket, ahead, waitsFor, since ms,
-- until ms}.
local function waitingReply(ticket)
  local ahead = countAhead(ticket.waitsFor, ticket.order)
  return {
    'WAITING', 'WAITING: ' .. ahead .. ' ahead', ticketId(ticket), ahead, ticket.waitsFor,
    string.format('%.0f', ticket.since), string.format('%.0f', ticket.endsAt),
  }
end

-- Returns a reply for the events of a request that was asked, and the reservation that it made, nil for none.
local function firstReply(outcome)
  if outcome.done then
    return outcome.done[1][1], outcome.done[1][2]
  end
  return outcome.reply or { 'ACQUIRED' }
end

-- Returns the reply to an item of a request whose ticket was granted, or had ended since its requester has it all.
local function replyOfHeld(request, item, waitedMs)
  local resource, slot = resolve(item.resource)
  local had = resource and reservationOn(resource, slot, request.requester)
  if not had then
    return SKIPPED
  end
  local reply = (reserveOne({ resource = item.resource, requester = request.requester, token = item.token }))
  if reply[1] == 'ACQUIRED' then
    reply[7] = string.format('%.0f', waitedMs)
  end
  return reply
end

-- Returns an array of the replies to the items of a request, once the queue is settled. Takes what ask() returned. A
-- reply is one of reserveOne(), with waitedMs as 7th field if it is ACQUIRED; or one of waitingReply().
local function answer(outcome, request)
  local ticket, claimed, waitedMs = outcome.ticket, outcome.claimed, outcome.waitedMs
  if ticket and ticket.status == 'granted' then
    claimed, waitedMs = ticket, claimTicket(ticket, request.items, request.items)
  end
  local replies = {}
  for i, item in ipairs(request.items) do
    local one = outcome.done and outcome.done[i]
    if claimed or ticket and ticket.status == 'ended' then
      replies[i] = replyOfHeld(request, item, waitedMs or 0)
    elseif ticket then
      replies[i] = waitingReply(ticket)
    elseif one then
      replies[i] = one[1]
      if one[2] then
        replies[i][7] = string.format('%.0f', waitedMs)
      end
    elseif outcome.done then
      replies[i] = SKIPPED
    else
      replies[i] = i - 1 == outcome.place and outcome.reply or { 'NOT_AVAILABLE', 'ROLLED_BACK' }
    end
  end
  runClaims()
  return replies
end
