-- Finds the ticket that a resource or slot goes to next.
--@include waiting/lines
--@include waiting/tickets

-- Returns the requester of the first ticket that waits for a name and has not been left by its caller; '' for none.
queue.firstWaiter = function(name)
  local attended, detached = nthOf(name .. '\nw', 1), nthOf(name .. '\nv', 1)
  local order = attended and not (detached and detached < attended) and attended or detached
  local ticket = order and ticketAt(order)
  return ticket and ticket.requester or ''
end
