-- What pages show of the tickets that wait for a resource.
--@include names
--@include waiting/lines
--@include waiting/tickets

-- Returns the requester of the first ticket that waits for a name and has not been left by its caller; '' for none.
queue.firstWaiter = function(name)
  local attended, detached = nthOf(name .. '\nw', 1), nthOf(name .. '\nv', 1)
  local order = attended and not (detached and detached < attended) and attended or detached
  local ticket = order and ticketAt(order)
  return ticket and ticket.requester or ''
end

-- Returns the place of a ticket among those that wait for the same, from 1.
local function placeInLine(ticket)
  local place = 1
  for _, kind in ipairs({ '\nw', '\nv' }) do
    local from = ticket.waitsFor .. kind
    spend(3)
    place = place + redis.call('ZLEXCOUNT', linesKey, '[' .. from, '(' .. from .. ticket.order)
  end
  return place
end

-- Returns resource -> place of the first ticket of these requesters that asks for it, or waits for it.
queue.placesOf = function(requesters)
  local MAX_TICKETS, DIGEST = 50, 8
  local places = {}
  for _, requester in ipairs(requesters) do
    for n = 1, MAX_TICKETS do
      local rest = nthOf('\2' .. requester .. '\n', n)
      local ticket = rest and ticketAt(string.sub(rest, DIGEST + 1))
      if not ticket then
        break
      elseif ticket.status ~= 'granted' then
        local place = placeInLine(ticket)
        places[ticket.waitsFor] = places[ticket.waitsFor] or place
        for _, item in ipairs(ticket.items) do
          local resource = resolve(item.resource) or item.resource
          places[resource] = places[resource] or place
        end
      end
    end
  end
  return places
end
