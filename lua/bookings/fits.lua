-- Which slots of a bookable resource a request may take (docs/specification.md#leases-end-in-time): no booking of
-- another begins on them before it ends. A request has a term, a table:
--   requester    whose bookings do not count; nil: everybody's do
--   endsAt       when it ends, in ms; infinite: never
--   leastEndsAt  when it ends if its lease is cut as far as the request allows (minTtlSeconds), in ms
local booked = require('bookings/booked')
local clock = require('frame/clock')
local codec = require('slots/codec')
local conditions = require('slots/conditions')
local itemForms = require('frame/items')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local fits = {}
-- The free slots of a pool that are looked at.
local MAX_LOOKED = 1000

-- Returns the term of an item (frame/items.lua), as reserveOne() in reservations/match.lua takes it. The lease of a
-- grant begins when that is claimed, at the latest when the claim time is over.
function fits.termOf(item)
  local from, leaseMs, leastMs = clock.nowMs(), item.ttlMs, item.options and item.options.minTtl
  if item.token == codec.UNCLAIMED then
    from, leaseMs = from + item.ttlMs, item.leaseMs
  end
  if item.session or not leaseMs then
    leaseMs = math.huge
  end
  local isOwnCounted = itemForms.isSharedItem(item) or leaseMs == math.huge and not leastMs
  return {
    requester = not isOwnCounted and item.requester or nil, endsAt = from + leaseMs,
    leastEndsAt = from + math.min(leastMs or leaseMs, leaseMs),
  }
end

-- Returns when the first booking of a slot begins that counts for a term, in ms; infinite if there is none.
function fits.startOf(slot, term)
  return booked.startOf(slot, term.requester)
end

-- Returns true if a slot fits a term; its lease may have to be cut.
function fits.isFitting(slot, term)
  return fits.startOf(slot, term) >= term.leastEndsAt
end

local function isLater(one, other)
  return one.start > other.start or one.start == other.start and one.slotNumber < other.slotNumber
end

local function isLower(one, other)
  return one.slotNumber < other.slotNumber
end

-- Returns the free slots of a pool that have a condition, as {slotNumber, start}, in order of their numbers: those that
-- fit a term uncut, `count` at most; and if they are fewer, the others, MAX_LOOKED at most. isKept(slotNumber): nil, or
-- whether a slot is passed.
local function candidatesFor(pool, capacity, condition, term, count, isKept)
  local whole, others = {}, {}
  local slotNumber = conditions.nextFree(pool, capacity, condition)
  while slotNumber and #whole < count and #others < MAX_LOOKED do
    if not (isKept and isKept(slotNumber)) then
      local start = fits.startOf(pools.slotAt(pool, slotNumber), term)
      local list = start >= term.endsAt and whole or others
      list[#list + 1] = { slotNumber = slotNumber, start = start }
    end
    slotNumber = conditions.freeFrom(pool, capacity, condition, slotNumber + 1)
  end
  return whole, others
end

-- Chooses free slots of a pool, which has a condition, for a term. Returns their numbers, in order: the lowest that fit
-- it uncut; if they are too few, those besides whose first bookings begin last. Then returns also when the first of
-- these begins, in ms: its lease is cut to that. Returns nil if not enough fit, and the latest end that would do; nil
-- if too few are free. isKept(slotNumber): nil, or whether a slot is passed.
function fits.choose(pool, capacity, condition, term, count, isKept)
  local chosen, others = candidatesFor(pool, capacity, condition, term, count, isKept)
  local lacked = count - #chosen
  if #others < lacked then
    return nil
  end
  local cutTo
  if lacked > 0 then
    table.sort(others, isLater)
    cutTo = others[lacked].start
    if cutTo < term.leastEndsAt then
      return nil, cutTo
    end
    for i = 1, lacked do
      chosen[#chosen + 1] = others[i]
    end
    table.sort(chosen, isLower)
  end
  for i, one in ipairs(chosen) do
    chosen[i] = one.slotNumber
  end
  return chosen, cutTo
end

-- Returns until when a requester, nil a new one, could have a resource, or one slot of it, at most: when the first
-- booking of another begins, of the free slot where it does so last, in ms. Infinite if there is none; nil if no slot
-- is free.
function fits.freeUntil(resource, slot, requester)
  local own = registry.definition(resource)
  if slot or not own.pooled then
    return booked.startOf(slot or resource, requester)
  end
  local term = { requester = requester, endsAt = math.huge, leastEndsAt = math.huge }
  local chosen, first = fits.choose(resource, own.capacity, 'ready', term, 1)
  return chosen and math.huge or first
end

-- Returns a slot if it fits the term of an entry (reservations/plan.lua), or the entry has none; else nil. Notes in the
-- entry to when its lease is cut, or from when on the slot is booked.
function fits.ifFitting(entry, slot)
  local start = entry.term and fits.startOf(slot, entry.term)
  if not start or start >= entry.term.endsAt then
    return slot
  elseif start >= entry.term.leastEndsAt then
    entry.cutTo = start
    return slot
  end
  entry.bookedFrom = start
end

-- Chooses the slots of a pool for an entry that has a term. Returns the first, nil if not enough fit. Notes all of them
-- in the entry, and what ifFitting() notes.
function fits.chooseFor(entry, capacity, condition)
  local pool, isKept = entry.resource, tenant.queue and tenant.queue.keptIn(entry.resource, condition)
  local chosen, bound = fits.choose(pool, capacity, condition, entry.term, entry.count or 1, isKept)
  if not chosen then
    entry.bookedFrom = bound
    return nil
  end
  for i, slotNumber in ipairs(chosen) do
    chosen[i] = pools.slotAt(pool, slotNumber)
  end
  entry.chosen, entry.cutTo = chosen, bound
  return chosen[1]
end

return fits
