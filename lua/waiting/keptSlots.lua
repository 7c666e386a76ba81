-- Which free slots of a bookable resource are kept (docs/specification.md#leases-end-in-time). The next tickets ahead
-- of a request each keep the slots that they would get now, in the order of the queue: those that they name, and of a
-- pool the best for their leases; as many as they lack. Slots that a transaction has released itself are not kept from
-- it.
local fits = require('bookings/fits')
local fitting = require('waiting/fitting')
local lines = require('waiting/lines')
local pools = require('slots/pools')
local queues = require('waiting/queues')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local turns = require('waiting/turns')
local work = require('frame/work')
local keptSlots = {}

-- Returns the slots that the transaction which is carried out has released, as a set; nil if there are none.
local function releasedNow()
  local before, released = {}, nil
  for i = (tenant.requestMark or #slotMap.journal) + 1, #slotMap.journal, 2 do
    local slot = slotMap.journal[i]
    if not slot.restore and before[slot] == nil then
      before[slot] = slotMap.journal[i + 1]
      if before[slot] then
        released = released or {}
        released[slot] = true
      end
    end
  end
  return released
end

-- Returns the needs of a ticket in a queue that do not count as met: the number of any slots, and the slots that it
-- names. isMet(key) may be nil. Notes them in `seen`.
local function needsOf(one, queue, seen, isMet)
  local any, named = 0, {}
  for _, key in ipairs(one.lacked) do
    local owner, which = string.match(key, '^([^\n]*)\n?(.*)$')
    seen.owners[owner] = true
    if not seen[key] and not (isMet and isMet(owner, which)) then
      seen[key] = true
      if which == '' or string.sub(which, 1, 1) == '#' then
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

-- Adds the slots that a ticket keeps. Returns how many it lacks besides.
local function keepFor(kept, queue, ticket, any, named, released)
  local name, condition = lines.lineOf(queue)
  local term, short = fitting.termAt(ticket, queue), 0
  local function isPassed(slot)
    return kept.of[slot] or released and released[slot]
  end
  for _, slot in ipairs(named) do
    local isFree = lines.isOpen(slot, condition) and not isPassed(slot) and fits.isFitting(slot, term)
    kept.of[slot] = isFree and ticket or kept.of[slot]
    short = short + (isFree and 0 or 1)
  end
  if any == 0 then
    return short
  end
  local capacity = registry.definition(name).capacity
  for _, one in ipairs(fits.best(name, capacity, condition, term, any, function(slotNumber)
    return isPassed(pools.slotAt(name, slotNumber))
  end)) do
    if one.start >= term.leastEndsAt then
      kept.of[pools.slotAt(name, one.slotNumber)] = ticket
      any = any - 1
    end
  end
  return short + any
end

-- Returns what is kept in a queue, a table:
--   of       slot -> the ticket that keeps it
--   next     the next tickets, in order
--   shortAt  the order of the first of them that lacks more than it keeps; nil if none does
--   owners   who lacks something there, as a set
-- Takes the set of slots that are not kept, and isMet(owner, which), which tells the needs that do not count; both may
-- be nil.
local function findKept(queue, released, isMet)
  local kept, seen = { of = {}, next = {} }, { owners = {} }
  for _, one in ipairs(turns.frontOf(queue)) do
    local ticket = one.ticket
    if turns.isNext(ticket) then
      kept.next[#kept.next + 1] = ticket
      local any, named = needsOf(one, queue, seen, isMet)
      work.spend(1 + any + #named)
      if keepFor(kept, queue, ticket, any, named, released) > 0 then
        kept.shortAt = kept.shortAt or ticket.order
      end
    end
  end
  kept.owners = seen.owners
  return kept
end

-- Returns a function that tells the needs which an entry meets (reservations/plan.lua): who asks for any slot of a pool
-- has none of it, and of those that hold a slot SHARED, all need it for the same.
local function metBy(entry)
  return function(owner, which)
    return owner == entry.owner and (not entry.slot or which == '' and entry.isShared or which == entry.slot)
  end
end

-- Returns what is kept from an entry in a queue, as findKept().
local function keptFrom(entry, queue)
  local known = turns.knownNow()
  known.kept = known.kept or {}
  known.kept[queue] = known.kept[queue] or findKept(queue)
  local released = releasedNow()
  if released or known.kept[queue].owners[entry.owner] then
    return findKept(queue, released, metBy(entry))
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
  local kept = keptFrom(entry, entry.queue)
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
  local kept, keepers = keptFrom(entry, entry.queue), {}
  if not isNew and entry.slotQueue and not isAnyKept(kept, nil, rank) then
    kept = keptFrom(entry, entry.slotQueue)
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
