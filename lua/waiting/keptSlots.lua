-- Which free slots of a bookable resource are kept (docs/specification.md#leases-end-in-time). The next tickets ahead
-- of a request each keep the slots that they would get now, in the order of the queue: those that they name, and of a
-- pool the best for their leases; as many as they lack. Slots that a transaction has released itself are not kept from
-- it.
local fits = require('bookings/fits')
local fitting = require('waiting/fitting')
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local pools = require('slots/pools')
local queues = require('waiting/queues')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local turns = require('waiting/turns')
local work = require('frame/work')
local keptSlots = {}

-- Returns the slots that the transaction which is carried out has released, as a set.
local function releasedNow()
  local before, released = {}, {}
  for i = (tenant.requestMark or #slotMap.journal) + 1, #slotMap.journal, 2 do
    local slot = slotMap.journal[i]
    if not slot.restore and before[slot] == nil then
      before[slot] = slotMap.journal[i + 1]
      released[slot] = before[slot] and true or nil
    end
  end
  return released
end

-- Returns true if a need of a ticket (needs.lackedAt()) is for any slot.
local function isAny(which)
  return which == '' or string.sub(which, 1, 1) == needs.MORE
end

-- Returns the needs of a ticket in a queue that do not count as met: the number of any slots, and the slots that it
-- names. isMet(ticket, owner, which) may be nil. Notes them in `seen`, and in `kept` the slots by which needs are met.
local function needsOf(one, queue, seen, kept, isMet)
  local any, named = 0, {}
  seen.owners[one.ticket.requester] = true
  for _, key in ipairs(one.lacked) do
    local owner, which = string.match(key, '^([^\n]*)\n?(.*)$')
    seen.owners[owner] = true
    if isMet and isMet(one.ticket, owner, which) then
      kept.met[which] = true
    elseif not seen[key] then
      seen[key] = true
      if isAny(which) then
        any = any + 1
      else
        named[#named + 1] = which
      end
    end
  end
  local name = lines.lineOf(queue)
  local own = registry.definition(name)
  if any > 0 and not (own and own.capacity > 1) then
    return 0, { name }
  end
  return any, named
end

-- Calls take(slot) for the best free slots of a pool for a ticket that it fits, `count` at most. Returns how many it
-- lacks besides.
local function takeBest(queue, ticket, count, isPassed, take)
  local name, condition = lines.lineOf(queue)
  local term, capacity = fitting.termAt(ticket, queue), registry.definition(name).capacity
  for _, one in ipairs(fits.best(name, capacity, condition, term, count, function(slotNumber)
    return isPassed(pools.slotAt(name, slotNumber))
  end)) do
    if one.start >= term.leastEndsAt then
      take(pools.slotAt(name, one.slotNumber))
      count = count - 1
    end
  end
  return count
end

-- Adds the slots that a ticket keeps, and those that it would get of what the transaction has released. Returns how
-- many it lacks besides.
local function keepFor(kept, queue, ticket, any, named, released)
  local _, condition = lines.lineOf(queue)
  local short = 0
  local function take(slot)
    local of = released[slot] and kept.given or kept.of
    of[slot] = ticket
  end
  for _, slot in ipairs(named) do
    local isFree = lines.isOpen(slot, condition) and not kept.of[slot] and not kept.given[slot] and
      fits.isFitting(slot, fitting.termAt(ticket, lines.queueFor(slot, condition)))
    if isFree then
      take(slot)
    end
    short = short + (isFree and 0 or 1)
  end
  any = any > 0 and takeBest(queue, ticket, any, function(slot)
    return kept.of[slot] or kept.met[slot] or released[slot]
  end, take) or any
  any = any > 0 and next(released) and takeBest(queue, ticket, any, function(slot)
    return kept.given[slot] or kept.met[slot] or not released[slot]
  end, take) or any
  return short + any
end

-- Returns what is kept in a queue, a table:
--   of       slot -> the ticket that keeps it
--   given    slot that the transaction has released -> the ticket that would get it
--   met      slots by which needs that do not count are met, as a set: nobody else gets these
--   next     the next tickets, in order
--   shortAt  the order of the first of them that lacks more than it keeps; nil if none does
--   owners   who lacks something there or has a ticket there, as a set
-- Takes the set of slots that the transaction has released, and isMet(ticket, owner, which), which tells the needs that
-- do not count; nil: all count.
local function findKept(queue, released, isMet)
  local kept, seen = { of = {}, given = {}, met = {}, next = {} }, { owners = {} }
  for _, one in ipairs(turns.frontOf(queue)) do
    local ticket = one.ticket
    if turns.isNext(ticket) then
      kept.next[#kept.next + 1] = ticket
      local any, named = needsOf(one, queue, seen, kept, isMet)
      work.spend(1 + any + #named)
      if keepFor(kept, queue, ticket, any, named, released) > 0 then
        kept.shortAt = kept.shortAt or ticket.order
      end
    end
  end
  kept.owners = seen.owners
  return kept
end

-- Returns true if one of some slots is the one that a need names, or the one that its owner stands for: that of what is
-- held SHARED.
local function areFor(slots, owner, which)
  for _, slot in ipairs(slots) do
    if slot == which or shared.sharedOwner(slot) == owner then
      return true
    end
  end
  return false
end

-- Returns a function that tells the needs which an entry meets (reservations/plan.lua) by some slots: of who asks for
-- any slot of a pool, all that it has there, but for other slots that it names; of those that hold a slot SHARED, all
-- need it for the same; and who holds it EXCLUSIVE needs no SHARED hold of it.
local function metBy(entry, slots)
  return function(ticket, owner, which)
    if owner ~= entry.owner then
      return ticket.requester == entry.owner and areFor(slots, owner)
    elseif entry.slot then
      return which == '' and entry.isShared or which == entry.slot
    end
    return isAny(which) or areFor(slots, owner, which)
  end
end

-- Returns what is kept from an entry in a queue, as findKept(). What its requester needs and gets by `slots` is not.
local function keptFrom(entry, queue, slots)
  local known = turns.knownNow()
  known.kept = known.kept or {}
  known.kept[queue] = known.kept[queue] or findKept(queue, {})
  local released = releasedNow()
  if next(released) or known.kept[queue].owners[entry.owner] then
    return findKept(queue, released, metBy(entry, slots))
  end
  return known.kept[queue]
end

-- Returns true if a ticket is ahead of a rank, nil: behind all.
local function isAhead(order, rank)
  return not rank or order < rank
end

-- Returns a function(slotNumber) that tells whether a slot of a pool is kept from an entry; nil if none is. `rank`:
-- that of the request, nil behind all.
function keptSlots.keptIn(entry, rank)
  if queues.isQueueEmpty(entry.queue) then
    return nil
  end
  local kept = keptFrom(entry, entry.queue, {})
  return next(kept.of) and function(slotNumber)
    local ticket = kept.of[pools.slotAt(entry.resource, slotNumber)]
    return ticket and isAhead(ticket.order, rank)
  end or nil
end

-- Returns true if one of some slots is kept for tickets ahead; slots nil: if one of these lacks more than it keeps.
local function isAnyKept(kept, slots, rank)
  if not slots then
    return kept.shortAt and isAhead(kept.shortAt, rank)
  end
  for _, slot in ipairs(slots) do
    if kept.of[slot] and isAhead(kept.of[slot].order, rank) then
      return true
    end
  end
  return false
end

-- Returns the next tickets ahead for which slots are kept that an entry is about to take; nil if none is. To join what
-- others hold SHARED counts as taking what any of them lacks, there or by the name of the slot.
function keptSlots.keepersOf(entry, slots, isNew, rank)
  if queues.isQueueEmpty(entry.queue) or not isNew and not entry.isShared then
    return nil
  end
  local kept, keepers = keptFrom(entry, entry.queue, slots), {}
  if not isNew and entry.slotQueue and not isAnyKept(kept, nil, rank) then
    kept = keptFrom(entry, entry.slotQueue, slots)
  end
  if not isAnyKept(kept, isNew and slots or nil, rank) then
    return nil
  end
  for _, ticket in ipairs(kept.next) do
    keepers[#keepers + 1] = isAhead(ticket.order, rank) and ticket or nil
  end
  return keepers
end

return keptSlots
