-- The moments at which slots cease to fit next tickets (docs/specification.md#leases-end-in-time): what such a ticket
-- keeps is not kept any more then, so those behind it are looked at. Time only takes slots away from a ticket. A slot
-- ceases to fit when less time is left before a booking than the grant and its lease take. So the first booking of the
-- resource counts that begins behind their end. That it may be another one of its slot, or the ticket's own, costs a
-- look in vain. The members of the due times (lifetimes.lua) are \2<number of the ticket>.
local agenda = require('waiting/agenda')
local booked = require('bookings/booked')
local clock = require('frame/clock')
local fitting = require('waiting/fitting')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local ceasing = {}
local WATCHED = '\2'
-- The tickets that were seen as next: order -> ticket.
local seen

-- Notes that a ticket was seen as next.
function ceasing.watch(ticket)
  seen[ticket.order] = ticket
end

-- Returns the number of the ticket that a member of the due times is for; nil if it is another member.
function ceasing.watchedBy(member)
  return #member == 8 and string.sub(member, 1, 1) == WATCHED and string.sub(member, 2) or nil
end

-- Has those looked at from whom a ticket has kept something, and whether it is next.
function ceasing.stir(ticket)
  if ticket.status == 'attended' and ticket.seen ~= '' then
    agenda.addWalk('O', ticket.order)
    agenda.eachQueue(ticket, agenda.stirKept)
  end
end

-- Returns when the first booking of a resource that begins at a time, or later, is too near for what takes so long, in
-- ms; infinite if there is none.
local function tooNearFrom(resource, endsAt)
  if endsAt == math.huge then
    return math.huge
  end
  local prefix = 'r' .. resource .. '\n'
  local from = string.format('[%s%010d', prefix, math.ceil(endsAt / 1000))
  work.spend(3)
  local first = redis.call('ZRANGE', keys.booked, from, '(r' .. resource .. '\11', 'BYLEX', 'LIMIT', 0, 1)[1]
  local start = first and tonumber(string.sub(first, #prefix + 1, #prefix + 10))
  return start and start * 1000 - (endsAt - clock.nowMs()) + 1 or math.huge
end

-- Returns the next moment at which a slot may cease to fit a ticket, in ms; infinite if there is none.
local function nextMoment(ticket)
  local moment = math.huge
  for _, queue in ipairs(ticket.queues) do
    local _, isBookable = lines.limitsOf(queue)
    if isBookable then
      local name = lines.lineOf(queue)
      local resource = registry.definition(name) and name or pools.slotNumber(name)
      local term = fitting.termAt(ticket, queue)
      moment = math.min(moment, tooNearFrom(resource, term.endsAt), tooNearFrom(resource, term.leastEndsAt))
    end
  end
  return moment
end

-- Adds the moments of the tickets that were seen as next to due times: member -> ms. The bookings must be written.
function ceasing.note(dueTimes)
  if not booked.areAny() then
    return
  end
  for _, ticket in ipairs(tickets.changedTickets) do
    if ticket.seen ~= '' then
      seen[ticket.order] = ticket
    end
  end
  for _, ticket in pairs(seen) do
    local moment = ticket.status == 'attended' and nextMoment(ticket) or math.huge
    if moment < math.huge then
      dueTimes[WATCHED .. tickets.numberOf(ticket)] = moment
    end
  end
end

function ceasing.open()
  seen = {}
end

return ceasing
