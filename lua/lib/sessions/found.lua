-- Finds the session that a caller renews or ends.

-- Returns true if a session has reservations or tickets that a key with a prefix may not change. It looks at a limited
-- number of tickets.
local function isForeign(session)
  local MAX_SEARCHED_TICKETS = 200
  local within, line = session.id .. '\n' .. tenant.prefix, '\8' .. session.id .. '\n'
  spend(3)
  local holds = redis.call('ZLEXCOUNT', sessionHoldsKey, '[' .. within, '(' .. within .. '\255')
  if holds < tenant.sessions.holdsOf(session) then
    return true
  elseif tenant.queueText and not tenant.queue then
    tenant.openQueue()
  end
  local order = tenant.queue and tenant.queue.nthOf(line, 1)
  for n = 1, MAX_SEARCHED_TICKETS do
    if not order then
      return false
    end
    local ticket = tenant.queue.ticketAt(order)
    if ticket and not tenant.mayChangeAll(ticket.items) then
      return true
    end
    order = tenant.queue.nthOf(line, n + 1)
  end
  return true
end

-- Takes its id and its token, and the only requester that the caller may act for, '' any. Returns false if there is no
-- such session, or the token is wrong. Sets tenant.foreign if the caller may not change it.
local function sessionFound(id, token, subject)
  local sessions = tenant.sessions
  local session = sessions and sessions.at(id)
  if not session or session.token ~= token then
    return false
  end
  if tenant.mayChange and isForeign(session) then
    tenant.foreign = 'This session keeps what does not start with "' .. tenant.prefix .. '".'
  end
  return sessions.of(id, subject == '' and session.requester or subject)
end
