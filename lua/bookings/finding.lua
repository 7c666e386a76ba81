-- Finds the slot of a booking (docs/specification.md#booking): the lowest one that is free from its start to its end,
-- and what is in the way of others. A conflict is a table:
--   kind       BOOKING or HOLD
--   slot       the slot
--   requester  whose it is; nil if it is held SHARED
--   from, to   ms; `to` is infinite if it never ends
--   note       nil none
local booked = require('bookings/booked')
local codec = require('slots/codec')
local ownership = require('reservations/owners')
local pools = require('slots/pools')
local records = require('bookings/records')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local work = require('frame/work')
local finding = {}
-- Slots that are looked at for one booking, and records that are read at once.
local MAX_LOOKED, STEP = 1000, 20
-- The most bookings of a slot that have not begun (MAX_BOOKINGS_OF_SLOT in src/domain/bookings.ts).
finding.MAX_OF_SLOT = 500
-- searches[key]: what searches of this request for the same time have found so far: `at`, the number of the slot to go
-- on from, and `conflict`, of the slot that is free soonest.
local searches

-- Returns when a slot that is held SHARED is free, in ms: when the last lease ends of those that are known.
local function endOfShares(slot, record)
  local count, last = 0, 0
  for requester in string.gmatch(record.holders or '', '[^\n]+') do
    local own = slotMap.recordAt(shared.shareOf(slot, requester))
    local ends = own and finding.endOf(own) or math.huge
    count, last = count + 1, math.max(last, ends)
  end
  -- The record does not name all of many holders.
  return count == record.refCount and last or math.huge
end

-- Returns when a reservation ends as its lease is now, in ms, infinite if it has no end. One of a session lasts for
-- ever; a grant that nobody has claimed ends with the lease that it gets if it is claimed at the last moment.
function finding.endOf(reservation)
  if reservation.expiresAt == 0 then
    return math.huge
  elseif reservation.token ~= codec.UNCLAIMED then
    return reservation.expiresAt
  end
  return reservation.expiresAt + (reservation.lease or math.huge)
end

-- Returns the reservation that holds a slot; nil if it is held SHARED. Takes its record.
local function reservationOf(slot, record)
  return record.token and record or ownership.reservationAt(slot, record.owner)
end

-- Returns when the hold of a slot ends, in ms, infinite if never, as things are. Takes its record (slots/codec.lua).
function finding.endOfHold(slot, record)
  if shared.isSharedHold(slot, record) then
    return endOfShares(slot, record)
  end
  local own = reservationOf(slot, record)
  return own and finding.endOf(own) or math.huge
end

-- Returns the conflict with the booking that a requester's own hold is, if that ends after a time in s; nil if it does
-- not.
local function runningAt(slot, record, startS)
  local own = reservationOf(slot, record)
  local booking = own and own.booking and records.at(own.booking)
  if booking and booking['end'] > startS then
    return {
      kind = 'BOOKING', slot = slot, requester = record.owner, from = booking.start * 1000, to = booking['end'] * 1000,
      note = booking.note,
    }
  end
end

-- Returns how the hold of a slot is in the way of a booking that starts at a time in s; nil if it is not. The
-- requester's own lease is not.
local function heldBy(slot, requester, startS)
  local record = slotMap.recordAt(slot)
  local ends = record and finding.endOfHold(slot, record)
  if not ends or ends <= startS * 1000 then
    return nil
  elseif record.owner == requester and ends < math.huge then
    return runningAt(slot, record, startS)
  end
  local isShared = shared.isSharedHold(slot, record)
  local own = not isShared and reservationOf(slot, record)
  return {
    kind = 'HOLD', slot = slot, requester = not isShared and record.owner or nil,
    from = own and own.reservedAt or 0, to = ends, note = own and own.note,
  }
end

-- Returns the conflict with a booking of the slot, an entry of bookings/booked.lua.
local function conflictWith(slot, entry)
  local record = records.at(entry.id)
  return {
    kind = 'BOOKING', slot = slot, requester = entry.requester, from = entry.start * 1000, to = entry['end'] * 1000,
    note = record and record.note,
  }
end

-- Returns what is in the way of a booking of a slot from a start to an end, in s; nil if nothing is.
function finding.conflictAt(slot, requester, startS, endS)
  local entry = booked.overlapping(slot, startS, endS)
  if entry then
    return conflictWith(slot, entry)
  end
  local held = heldBy(slot, requester, startS)
  if held or not booked.areAny() or booked.countOf(slot) < finding.MAX_OF_SLOT then
    return held
  end
  return conflictWith(slot, booked.firstOf(slot))
end

-- Reads the records of some slots of a pool.
local function readAhead(pool, from, last)
  local slots = {}
  for slotNumber = from, math.min(from + STEP - 1, last) do
    slots[#slots + 1] = pools.slotAt(pool, slotNumber)
  end
  slotMap.readSlots(slots)
end

-- Returns the lowest slot of a pool that is free from a start to an end, in s; or nil and the conflict of the one that
-- is free soonest. Takes the capacity of the pool.
local function lowestOf(pool, capacity, requester, startS, endS)
  local key = table.concat({ pool, requester, startS, endS }, '\n')
  local search = searches[key] or { at = 0 }
  searches[key] = search
  for slotNumber = search.at, capacity - 1 do
    if slotNumber - search.at >= MAX_LOOKED then
      break
    elseif slotNumber % STEP == 0 or slotNumber == search.at then
      readAhead(pool, slotNumber, capacity - 1)
    end
    local slot = pools.slotAt(pool, slotNumber)
    local conflict = finding.conflictAt(slot, requester, startS, endS)
    work.spend(1)
    if not conflict then
      search.at = slotNumber
      return slot
    elseif not (search.conflict and search.conflict.to <= conflict.to) then
      search.conflict = conflict
    end
  end
  search.at = capacity
  return nil, search.conflict
end

-- Returns the slot for a booking; or nil and what is in the way. Takes the resource, its definition, the slot if it has
-- to be that one, else nil; the requester, the start and the end, in s.
function finding.slotFor(resource, own, slot, requester, startS, endS)
  if not slot and own.capacity > 1 then
    return lowestOf(resource, own.capacity, requester, startS, endS)
  end
  slot = slot or resource
  local conflict = finding.conflictAt(slot, requester, startS, endS)
  return not conflict and slot or nil, conflict
end

function finding.begin()
  if not searches or next(searches) then
    searches = {}
  end
end

return finding
