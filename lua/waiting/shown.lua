-- What pages show of the tickets that wait for a resource.
local codec = require('slots/codec')
local itemForms = require('frame/items')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local naming = require('definitions/names')
local pages = require('waiting/page')
local slotMap = require('slots/slots')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local shown = {}

-- Returns the requester of the first ticket that waits for a name and has not been left by its caller; '' for none.
function shown.firstWaiter(name)
  local attended, detached = lines.nthOf(name .. '\nw', 1), lines.nthOf(name .. '\nv', 1)
  local order = attended and not (detached and detached < attended) and attended or detached
  local ticket = order and tickets.ticketAt(order)
  return ticket and ticket.requester or ''
end

-- Returns the place of a ticket among those that wait for the same, from 1.
local function placeInLine(ticket)
  local place = 1
  for _, kind in ipairs({ '\nw', '\nv' }) do
    local from = ticket.waitsFor .. kind
    work.spend(3)
    place = place + redis.call('ZLEXCOUNT', keys.lines, '[' .. from, '(' .. from .. ticket.order)
  end
  return place
end

-- Returns resource -> place of the first ticket of these requesters that asks for it, or waits for it.
function shown.placesOf(requesters)
  local MAX_TICKETS, DIGEST = 50, 8
  local places = {}
  for _, requester in ipairs(requesters) do
    for n = 1, MAX_TICKETS do
      local rest = lines.nthOf('\2' .. requester .. '\n', n)
      local ticket = rest and tickets.ticketAt(string.sub(rest, DIGEST + 1))
      if not ticket then
        break
      elseif ticket.status ~= 'granted' then
        local place = placeInLine(ticket)
        places[ticket.waitsFor] = places[ticket.waitsFor] or place
        for _, item in ipairs(ticket.items) do
          local resource = naming.resolve(item.resource) or item.resource
          places[resource] = places[resource] or place
        end
      end
    end
  end
  return places
end

-- Tells a requester where its requests stand.

-- Returns until when the grant of a ticket can be claimed, in ms; nil if it is over.
local function claimableUntil(ticket)
  local slot = string.match(ticket.slots, '[^\n]+')
  local record = slot and slotMap.recordAt(slot)
  return record and record.token == codec.UNCLAIMED and record.owner == ticket.requester and record.expiresAt or nil
end

-- Returns the row of a ticket (verbs/waiting/standings.lua); nil if it is over.
local function standingOf(ticket)
  local isGranted = ticket.status == 'granted'
  local untilMs = isGranted and claimableUntil(ticket) or not isGranted and ticket.status ~= 'ended' and ticket.endsAt
  if not untilMs then
    return nil
  end
  local resources = {}
  for i, item in ipairs(ticket.items) do
    resources[i] = item.resource
  end
  return table.concat({
    isGranted and 1 or 0, isGranted and 0 or lines.countAhead(ticket.waitsFor, ticket.order),
    pages.toldName(ticket.waitsFor),
    string.format('%.0f', ticket.since), string.format('%.0f', untilMs),
    itemForms.isSharedItem(ticket.items[1]) and 'SHARED' or '', table.concat(resources, '\t'),
  }, '\n')
end

-- Returns a row for each of the first tickets of a requester.
function shown.standings(requester)
  local MAX_ROWS = 50
  local prefix = '\2' .. requester .. '\n'
  local members = redis.call(
    'ZRANGE', keys.lines, '[' .. prefix, '(\2' .. requester .. '\11', 'BYLEX', 'LIMIT', 0, MAX_ROWS
  )
  local rests, orders, rows = {}, {}, {}
  for i, member in ipairs(members) do
    rests[i], orders[i] = string.sub(member, #prefix + 1), string.sub(member, -8)
  end
  tickets.readTickets(orders)
  for _, rest in ipairs(rests) do
    local ticket = tickets.ticketAt(rest)
    rows[#rows + 1] = ticket and standingOf(ticket) or nil
  end
  return rows
end

return shown
