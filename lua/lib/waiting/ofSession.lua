-- The part of the queue that ends the tickets of a session that is over.
--@include waiting/endings

-- Ends them until `work` is above a limit, but one at least. Returns true if none is left.
queue.endTicketsOf = function(session, limit)
  local prefix = '\8' .. session .. '\n'
  local order = nthOf(prefix, 1)
  while order do
    local ticket = ticketAt(order)
    if ticket.status == 'granted' then
      changeTicket(ticket, { status = 'ended' })
      wake(ticket, 'ENDED\tNOT_VALID\tNOT_VALID: the session has ended\t-1')
    else
      endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: the session has ended', -1)
    end
    order = nthOf(prefix, 1)
    if order and work > limit then
      return false
    end
  end
  return true
end
