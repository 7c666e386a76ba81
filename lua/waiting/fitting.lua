-- Which slots of the lines of bookable resources fit tickets (docs/specification.md#leases-end-in-time): those on which
-- no booking of another begins before a grant of now would end. Only these count for the turn of a ticket, and as free
-- for it. Such a resource needs no other slots.
local booked = require('bookings/booked')
local codec = require('slots/codec')
local conditions = require('slots/conditions')
local fits = require('bookings/fits')
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local pools = require('slots/pools')
local queues = require('waiting/queues')
local registry = require('definitions/definitions')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local fitting = {}

-- Returns the longer one of two terms (bookings/fits.lua); the first may be nil.
local function longer(one, other)
  return not one and other or {
    requester = one.requester and other.requester, endsAt = math.max(one.endsAt, other.endsAt),
    leastEndsAt = math.max(one.leastEndsAt, other.leastEndsAt),
  }
end

-- Returns the term of an item of a ticket that would be granted now.
local function termOfItem(ticket, item)
  return fits.termOf({
    requester = ticket.requester, ttlMs = ticket.claimMs, leaseMs = item.ttlMs, token = codec.UNCLAIMED,
    options = item.options, session = ticket.session ~= '',
  })
end

-- Returns the terms with which a ticket asks for slots: by the name of a resource the longest of its items there; by
-- that of a slot, the longest of those that name it. A FIRST counts as its first valid item.
local function findTerms(ticket)
  local terms = {}
  for _, item in ipairs(ticket.items) do
    local entries = not tickets.matchOf(item) and needs.planOf(item)
    if entries and needs.isPlanValid(entries) then
      local own, term = entries[1], termOfItem(ticket, item)
      for _, name in ipairs({ own.resource, own.slot }) do
        terms[name] = longer(terms[name], term)
      end
      if ticket.method == 'FIRST' then
        break
      end
    end
  end
  return terms
end

-- Returns the term with which a ticket asks for slots in a queue.
function fitting.termAt(ticket, queue)
  local name, known = lines.lineOf(queue), ticket.terms
  if not known or known.items ~= ticket.items or known.claimMs ~= ticket.claimMs then
    known = { items = ticket.items, claimMs = ticket.claimMs, of = findTerms(ticket) }
    ticket.terms = known
  end
  return known.of[name] or known.of[pools.slotNumber(name)]
end

-- Returns the definition of the pool of a queue; nil if the queue is for one slot.
local function poolOf(name)
  local own = registry.definition(name)
  return own and own.capacity > 1 and own or nil
end

-- Calls visit(slot) for the first slots of a pool that count in a line. Returns the number of the others that certainly
-- have no bookings.
local function eachSlot(name, own, condition, visit)
  local last = math.min(own.capacity, fits.MAX_LOOKED) - 1
  for slotNumber = 0, last do
    local slot = pools.slotAt(name, slotNumber)
    local now = own.hasConditions and conditions.at(name, slot) or 'ready'
    if now == condition or condition == 'ready' and now == 'dirty' then
      visit(slot)
    end
  end
  work.spend(2 + last / 3)
  if own.capacity - 1 == last then
    return 0
  end
  local counting, all = lines.slotsOf(lines.queueFor(name, condition))
  return math.max(0, all - 1 - math.max(last, fits.highestBooked(name)) - (all - counting))
end

-- Returns what bookings there are of the slots of a queue for a pool: when the first begins of each, in ms, in order;
-- the slots by requester of which that is the first one's; and the number of others that have none.
local function viewOf(known, queue)
  known.views = known.views or {}
  local view = known.views[queue]
  if not view then
    local name, condition = lines.lineOf(queue)
    view = { starts = {}, owners = {} }
    view.others = eachSlot(name, poolOf(name), condition, function(slot)
      local first = booked.firstOf(slot)
      view.starts[#view.starts + 1] = first and first.start * 1000 or math.huge
      if first then
        local owner = first.requester
        view.owners[owner] = view.owners[owner] or {}
        table.insert(view.owners[owner], slot)
      end
    end)
    table.sort(view.starts)
    known.views[queue] = view
  end
  return view
end

-- Returns true if at least so many slots fit a ticket in a queue, held or not. Takes what is known of the state of the
-- slots (waiting/turns.lua).
function fitting.areEnough(known, ticket, queue, wanted)
  local name = lines.lineOf(queue)
  if wanted == 0 or lines.slotsOf(queue) < wanted then
    return wanted == 0
  end
  if not booked.areAny() then
    return true
  end
  local term = fitting.termAt(ticket, queue)
  work.spend(1)
  if not poolOf(name) then
    return fits.isFitting(name, term)
  end
  local view = viewOf(known, queue)
  local count = view.others + #view.starts + 1 - queues.placeIn(view.starts, term.leastEndsAt)
  for _, slot in ipairs(term.requester and view.owners[term.requester] or {}) do
    local isCounted = booked.startOf(slot) >= term.leastEndsAt
    count = count + (not isCounted and fits.isFitting(slot, term) and 1 or 0)
  end
  return count >= wanted
end

-- Returns the number of free slots that fit a ticket in a queue, `limit` at most.
function fitting.freeFor(ticket, queue, limit)
  local name, condition = lines.lineOf(queue)
  local own, term, count = poolOf(name), fitting.termAt(ticket, queue), 0
  if not own then
    return lines.isOpen(name, condition) and fits.isFitting(name, term) and 1 or 0
  end
  for _, one in ipairs(fits.best(name, own.capacity, condition, term, limit)) do
    count = count + (one.start >= term.leastEndsAt and 1 or 0)
  end
  return count
end

-- A term of everybody, without an end.
local ENDLESS = { endsAt = math.huge, leastEndsAt = math.huge }

-- Returns true if certainly no free slot fits a ticket in a queue: found in less time than freeFor() takes.
function fitting.fitsNone(known, ticket, queue)
  local name, condition = lines.lineOf(queue)
  local own, term = poolOf(name), fitting.termAt(ticket, queue)
  if not own or term.requester and viewOf(known, queue).owners[term.requester] then
    return fitting.freeFor(ticket, queue, 1) == 0
  end
  known.latest = known.latest or {}
  if not known.latest[queue] then
    local best = fits.best(name, own.capacity, condition, ENDLESS, 1)[1]
    known.latest[queue] = best and best.start or 0
  end
  return known.latest[queue] < term.leastEndsAt
end

-- Returns from when on too many slots of a queue are booked for a ticket that needs some of them, held or not: the
-- latest end that would do, in ms.
local function bookedFromAt(ticket, queue, needed)
  local name, condition = lines.lineOf(queue)
  local own, term, starts = poolOf(name), fitting.termAt(ticket, queue), {}
  if not own then
    return fits.startOf(name, term)
  end
  eachSlot(name, own, condition, function(slot)
    starts[#starts + 1] = fits.startOf(slot, term)
  end)
  table.sort(starts)
  return starts[#starts + 1 - needed]
end

-- Returns the latest end that would do for a ticket that too few slots fit, in ms; nil if enough do.
function fitting.bookedFrom(known, ticket)
  for _, queue in ipairs(tickets.isLoose(ticket) and {} or ticket.queues) do
    local _, isBookable = lines.limitsOf(queue)
    local needed = isBookable and needs.neededAt(ticket, queue) or 0
    if needed > 0 and not fitting.areEnough(known, ticket, queue, needed) then
      local from = bookedFromAt(ticket, queue, needed)
      -- Slots in other conditions are no bookings.
      if from and from < math.huge then
        return from
      end
    end
  end
end

return fitting
