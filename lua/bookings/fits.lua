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
local keys = require('frame/keys')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')
local fits = {}

-- Free slots of a pool that a request passes, since they do not fit.
fits.MAX_LOOKED = 256

-- Returns the term of an item (frame/items.lua), as reserveOne() in reservations/match.lua takes it. The lease of a
-- grant begins when that is claimed, at the latest when the claim time is over. So it is for one that is handed over,
-- which has a claimMs besides: a ticket is granted the same slots then.
function fits.termOf(item)
  local from, leaseMs, leastMs = clock.nowMs() + (item.claimMs or 0), item.ttlMs, item.options and item.options.minTtl
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

-- Returns the number of the highest slot of a pool that has bookings; -1 if none has.
function fits.highestBooked(pool)
  local prefix = 'n' .. pool .. '\n'
  work.spend(3)
  local last = redis.call('ZRANGE', keys.booked, '(n' .. pool .. '\11', '[' .. prefix, 'BYLEX', 'REV', 'LIMIT', 0, 1)
  return last[1] and tonumber(string.sub(last[1], #prefix + 1, #prefix + 7)) or -1
end

-- Looks at the free slots of a pool that have a condition, from a number to another, until enough fit or `limit` were
-- passed. Adds them to a search (candidatesFor()). Returns the number of the next one; nil if there is none.
local function lookAt(search, pool, slotNumber, last, limit)
  while slotNumber and slotNumber <= last and #search.whole < search.count and limit > 0 do
    local isPassed = search.isKept and search.isKept(slotNumber)
    local start = not isPassed and fits.startOf(pools.slotAt(pool, slotNumber), search.term)
    work.spend(1)
    if start and start >= search.term.endsAt then
      search.whole[#search.whole + 1] = { slotNumber = slotNumber, start = start }
    else
      search.others[#search.others + 1] = start and { slotNumber = slotNumber, start = start } or nil
      limit = limit - 1
    end
    slotNumber = conditions.freeFrom(pool, search.capacity, search.condition, slotNumber + 1)
  end
  return slotNumber
end

-- Returns the free slots of a pool that have a condition, as {slotNumber, start}: those that fit a term uncut, `count`
-- at most; and if they are fewer, others. isKept(slotNumber): nil, or whether a slot is passed. It looks at the lowest
-- slots first; then at those above all that have bookings, for which one read does; then at the others.
local function candidatesFor(pool, capacity, condition, term, count, isKept)
  local MAX_LOWEST = 8
  local search = {
    capacity = capacity, condition = condition, term = term, count = count, isKept = isKept, whole = {}, others = {},
  }
  local rest = lookAt(search, pool, conditions.nextFree(pool, capacity, condition), capacity, MAX_LOWEST)
  if rest and #search.whole < count then
    local highest = fits.highestBooked(pool)
    local above = conditions.freeFrom(pool, capacity, condition, math.max(rest, highest + 1))
    lookAt(search, pool, above, capacity, fits.MAX_LOOKED)
    lookAt(search, pool, rest, highest, fits.MAX_LOOKED - MAX_LOWEST)
  end
  return search.whole, search.others
end

-- Returns the best free slots of a pool that have a condition, for a term, as {slotNumber, start}, `count` at most: the
-- first that fit it uncut, as candidatesFor() looks; and if they are too few, those besides whose first bookings begin
-- last, whether they fit it or not. isKept(slotNumber): nil, or whether a slot is passed.
function fits.best(pool, capacity, condition, term, count, isKept)
  local best, others = candidatesFor(pool, capacity, condition, term, count, isKept)
  if #best < count then
    table.sort(others, isLater)
    for i = 1, math.min(count - #best, #others) do
      best[#best + 1] = others[i]
    end
  end
  return best
end

-- Chooses free slots of a pool, which has a condition, for a term. Returns their numbers, in order. If their lease is
-- cut, then returns also to when, in ms. Returns nil if not enough fit, and the latest end that would do; nil if too
-- few are free. isKept(slotNumber): nil, or whether a slot is passed.
function fits.choose(pool, capacity, condition, term, count, isKept)
  local best = fits.best(pool, capacity, condition, term, count, isKept)
  if #best < count then
    return nil
  end
  local first = best[count].start
  if first < term.leastEndsAt then
    return nil, first
  end
  table.sort(best, isLower)
  for i, one in ipairs(best) do
    best[i] = one.slotNumber
  end
  return best, first < term.endsAt and first or nil
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
-- in the entry, and what ifFitting() notes. Those that are kept for waiting requests are chosen only if others do not
-- do: who asks may have them all the same (waiting/keeping.lua).
function fits.chooseFor(entry, capacity, condition)
  local pool, isKept = entry.resource, tenant.queue and tenant.queue.keptIn(entry)
  local chosen, bound = fits.choose(pool, capacity, condition, entry.term, entry.count or 1, isKept)
  if not chosen and isKept then
    local unkeptBound = bound
    chosen, bound = fits.choose(pool, capacity, condition, entry.term, entry.count or 1)
    if not chosen then
      bound = unkeptBound or bound
    end
  end
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
