-- Finds out who is in the way of a request (docs/specification.md#who-is-in-the-way): who holds what it lacks, and who
-- waits for that. whyNot() looks at the first few of them only.
local booked = require('bookings/booked')
local conditions = require('slots/conditions')
local freeSlots = require('slots/freeSlots')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local pools = require('slots/pools')
local records = require('bookings/records')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local reasons = {}
local MAX_HOLDERS, MAX_NEXT, MAX_DEPTH, MAX_CHILDREN, MAX_CHUNKS = 5, 3, 6, 100, 32
-- firstHeldOf[name]: what firstHeld() has found.
local firstHeldOf

-- Adds the held slots of a chunk, `left` at most. Returns how many more are to be found.
local function addFrom(found, name, chunk, left)
  local field = pools.chunkField(name, chunk)
  local bytes = pools.chunkAt(field)
  work.spend(6)
  for at = 1, #bytes do
    local byte = string.byte(bytes, at)
    for offset = 0, byte > 0 and left > 0 and 7 or -1 do
      if left > 0 and bit.band(byte, bit.rshift(128, offset)) ~= 0 then
        left = left - 1
        found[#found + 1] = name .. '_' .. chunk * pools.CHUNK_SLOTS + (at - 1) * 8 + offset
      end
    end
  end
  return left
end

-- Returns the first held slots of a resource, also those that it has from an earlier capacity.
local function firstHeld(name)
  if firstHeldOf[name] then
    return firstHeldOf[name]
  end
  local own, found = registry.definition(name), { slotMap.recordAt(name) and name or nil }
  local left = own and own.pooled and math.min(MAX_HOLDERS, pools.poolOf(name).held) or 0
  for chunk = 0, MAX_CHUNKS - 1 do
    left = left > 0 and addFrom(found, name, chunk, left) or 0
  end
  slotMap.readSlots(found)
  firstHeldOf[name] = found
  return found
end

-- Returns true if the plan of a reservation has a slot.
local function takesAlong(own, slot)
  work.spend(#own.plan / 1000)
  return string.find('\n' .. own.plan, '\n' .. slot .. '\n', 1, true) ~= nil
end

-- Returns the reservation of a requester, of something below a resource, that takes a slot of it along; nil if it is
-- not among the first children.
local function reservationBelow(name, requester, slot)
  local children = naming.childrenOf(name, '', MAX_CHILDREN)
  registry.readDefinitions(children)
  slotMap.readSlots(children)
  for _, child in ipairs(children) do
    local one = registry.definition(child)
    work.spend(1)
    local own = ownership.reservationOn(child, nil, requester)
    if own and takesAlong(own, slot) then
      return own
    end
    -- A reservation below that takes the child along, unless that is a group.
    local hold = one and not one.isGroup and
      slotMap.recordAt(one.pooled and ownership.assignedSlot(child, requester) or child)
    if one and (one.isGroup or hold and hold.owner == requester) then
      own = reservationBelow(child, requester, slot)
      if own then
        return own
      end
    end
  end
end

-- Adds a reservation; or the requester alone, if the reservation that takes the slot along is not known.
local function addHolder(reason, slot, own, requester)
  reason.h[#reason.h + 1] = {
    q = requester, s = slot, r = own and own.requestedName, a = own and own.reservedAt,
    e = own and ownership.endOf(own), n = own and own.note,
  }
end

-- Adds those who hold a slot SHARED; of those who hold a blocker, the ones whose plan takes `along`.
local function addSharers(reason, slot, record, along)
  local shown = #reason.h
  for requester in string.gmatch(record.holders or '', '[^\n]+') do
    local own = #reason.h < MAX_HOLDERS and slotMap.recordAt(shared.shareOf(slot, requester))
    if own and (not along or takesAlong(own, along)) then
      addHolder(reason, along or slot, own, requester)
    end
  end
  reason.m = reason.m + (along and 0 or math.max(0, record.refCount - (#reason.h - shown)))
end

-- Adds the requester that holds a slot. isShown[own]: the reservation was added before, for another slot of it.
local function addOwner(reason, slot, record, along, isShown)
  local own = ownership.reservationAt(slot, record.owner)
  if own and along and not takesAlong(own, along) then
    own = nil
  end
  if not own and (not record.token or record.refCount > 1) then
    own = reservationBelow(record.pool ~= '' and record.pool or slot, record.owner, along or slot)
  end
  -- Its other slots take along the same.
  if not along or own and not isShown[own] then
    isShown[own or slot] = true
    addHolder(reason, along or slot, own, record.owner)
  end
end

-- Adds who holds a resource, or one slot. `along`: a blocker's slot that they hold through it; nil: it is itself in
-- the way.
local function addHolders(reason, name, depth, along)
  local slots = firstHeld(name)
  reason.m = reason.m + math.max(0, freeSlots.heldOf(name) - #slots)
  local isShown = {}
  for _, slot in ipairs(slots) do
    work.spend(1)
    local record = slotMap.recordAt(slot)
    local declarer = not record.token and slotMap.declarerOf(record.owner)
    if shared.isSharedHold(slot, record) then
      addSharers(reason, slot, record, along)
    elseif #reason.h >= MAX_HOLDERS then
      reason.m = reason.m + 1
    elseif not declarer then
      addOwner(reason, slot, record, along, isShown)
    elseif depth < MAX_DEPTH then
      addHolders(reason, declarer, depth + 1, along or slot)
    end
  end
end

-- Adds who has booked a slot first, or of a pool the first free slots.
local function addBookings(reason, name)
  local own = registry.definition(name)
  local isPool = own and own.capacity > 1
  local slotNumber = isPool and conditions.nextFree(name, own.capacity, 'ready') or nil
  local slot = not isPool and name or slotNumber and pools.slotAt(name, slotNumber)
  while slot and #reason.h < MAX_HOLDERS do
    local first = booked.firstOf(slot)
    if first then
      reason.h[#reason.h + 1] = {
        q = first.requester, s = slot, r = name, a = first.start * 1000, e = first['end'] * 1000,
        n = records.at(first.id).note,
      }
    end
    slotNumber = slotNumber and conditions.freeFrom(name, own.capacity, 'ready', slotNumber + 1)
    slot = slotNumber and pools.slotAt(name, slotNumber)
  end
end

-- Returns the note of a request: the first that an item of it has; '' if none has one.
function reasons.noteOf(items)
  for _, item in ipairs(items) do
    if item.options and item.options.note then
      return item.options.note
    end
  end
  return ''
end

-- Adds the first tickets in a queue, up to an order (nil: all).
local function addNext(reason, name, before)
  local at = { l = 1, w = 1, v = 1 }
  while #reason.w < MAX_NEXT do
    local order, kind
    for one, n in pairs(at) do
      local other = tenant.queue.nthOf(name .. '\n' .. one, n)
      if other and not (order and order < other) then
        order, kind = other, one
      end
    end
    if not order or before and order >= before then
      return
    end
    at[kind] = at[kind] + 1
    local ticket = tenant.queue.ticketAt(order)
    if ticket then
      work.spend(2)
      reason.w[#reason.w + 1] = {
        q = ticket.requester, a = ticket.since, e = ticket.endsAt, n = reasons.noteOf(ticket.items),
      }
    end
  end
end

-- Describes who is in the way. Takes what is (SLOTS, ANCESTOR, BLOCKER, BOOKING or QUEUE), the name of the resource or
-- slot, and an array of the names whose holders are looked up. `before`: only tickets ahead of this order; nil: all,
-- false: none. Returns JSON: k the kind, r the name, h the holders, m the number of other held slots, w who waits. A
-- holder: q requester, s slot, r the name that it asked for, a since ms, e end ms (0 never), n note; without r, a and
-- e if its reservation is not known. Who waits: q, a, e and n likewise. Does no more than a part of the work of one
-- request, and describes what it has found until then.
function reasons.whyNot(kind, name, places, before)
  local PART = 1 / 10
  local spent, reason = work.done, { k = kind, r = name, h = {}, m = 0, w = {} }
  work.isOverBudget(function()
    if before ~= false and tenant.queueText then
      tenant.openFor(name)
      if tenant.queue then
        addNext(reason, name, before)
      end
    end
    for _, place in ipairs(kind == 'QUEUE' and {} or places) do
      if kind == 'BOOKING' then
        addBookings(reason, place)
      elseif #reason.h < MAX_HOLDERS then
        addHolders(reason, place, 0)
      else
        reason.m = reason.m + 1
      end
    end
  end, PART)
  work.done = spent + work.done
  reason.h, reason.w = #reason.h > 0 and reason.h or nil, #reason.w > 0 and reason.w or nil
  local text = cjson.encode(reason)
  work.spend(#text / 150)
  return text
end

function reasons.begin()
  firstHeldOf = firstHeldOf and not next(firstHeldOf) and firstHeldOf or {}
end

return reasons
