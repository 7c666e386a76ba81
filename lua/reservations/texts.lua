-- Tells of reservations: describes the slots of one to its requester, as its record and its results have it; and turns
-- the items of a reply into texts, since an instance reads one string much faster than a list. Names contain no line
-- breaks.
local codec = require('slots/codec')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local work = require('frame/work')
local texts = {}
-- The result of detailsOf() for a SHARED reservation of a plain name.
texts.SHARED = '{"m":"SHARED"}'

-- Returns the number of a slot; -1 if it is a resource's only slot, held since the pool had that capacity.
local function numberOf(slot)
  local _, slotNumber = pools.slotNumber(slot)
  return slotNumber or -1
end

-- Returns the slots that an entry for several slots has taken, in the order of their numbers.
local function severalSlots(entry)
  local list, last = { entry.at, unpack(entry.moreSlots) }, -1
  for _, slot in ipairs(list) do
    local slotNumber = numberOf(slot)
    if slotNumber < last then
      table.sort(list, function(a, b)
        return numberOf(a) < numberOf(b)
      end)
      break
    end
    last = slotNumber
  end
  return list
end

-- Returns the slots of a plan's blockers, each once; nil if there are none.
local function blockersIn(entries)
  local blockers, isListed
  for _, entry in ipairs(entries) do
    if entry.role == 'blocker' then
      blockers, isListed = blockers or {}, isListed or {}
      if not isListed[entry.at] then
        isListed[entry.at] = true
        blockers[#blockers + 1] = entry.at
      end
    end
  end
  return blockers
end

-- Returns the slots of pools that a plan has taken, by pool, without blockers; and those of its entry for several
-- slots. Returns nil for what there is none of.
local function slotsIn(entries)
  local slots, several
  for _, entry in ipairs(entries) do
    if entry.role ~= 'blocker' and registry.definition(entry.resource).capacity > 1 then
      slots = slots or {}
      several = entry.count and severalSlots(entry) or several
      slots[entry.resource] = entry.count and several[1] or entry.at
    end
  end
  return slots, several
end

-- Returns true if an entry has taken one slot of a pool, as most do, whose name stands in JSON as it is: cjson escapes
-- these characters, which few names have.
local function isOneSlot(entry)
  return not entry.isShared and not entry.count and not string.find(entry.at, '[%c"\\/]')
end

-- Returns the details of a resource with one slot, or of a plain name, that needs no other slots.
local function ofOneSlot(own, isShared)
  return isShared and texts.SHARED or own and own.hasConditions and codec.NO_DETAILS or ''
end

-- Returns JSON that describes a reservation's slots to its requester: s (acquiredSlots), b (acquiredBlockers), p
-- (reservedAtPath), o (slots) and m (SHARED). A field that does not apply is left out; returns '' if none applies.
function texts.detailsOf(entries, resource, isShared)
  local own = registry.definition(resource)
  local isAlone = #entries == 1 and (not own or own.parent == '')
  if not own or isAlone and own.capacity == 1 then
    return ofOneSlot(own, isShared)
  elseif isAlone and isOneSlot(entries[1]) then
    return '{"s":{"' .. resource .. '":"' .. entries[1].at .. '"}}'
  end
  local slots, several = slotsIn(entries)
  return cjson.encode({
    s = slots, b = blockersIn(entries), p = own.parent ~= '' and naming.pathOf(resource) or nil, o = several,
    m = isShared and 'SHARED' or nil,
  })
end

-- Joins the parts of an item of a reply by line breaks. A refused item that lacked one slot tells who holds that
-- (docs/specification.md#why-a-reservation-fails): the slot; requester, '' if it is a blocker; since ms and expiry ms,
-- 0 none; note, '' none. One that lacked it because of bookings has only the line for the slot, '', and then from when
-- on it is booked, in ms.
local function textOf(item)
  local text, record = table.concat(item, '\n'), item.holder
  if item.bookedFrom then
    return string.format('%s\n\n%.0f', text, item.bookedFrom)
  elseif not record then
    return text
  end
  local now = slotMap.records[item.held]
  if now and now.claimedAs and now.claimedAs <= item.claims and now.fence == record.fence then
    -- An item before has claimed it (waiting/endings.lua).
    record = now
  end
  local isBlocker = slotMap.declarerOf(record.owner)
  return table.concat({
    text, item.held, isBlocker and '' or record.owner, record.token and record.reservedAt or 0,
    record.token and ownership.endOf(record) or 0, record.note or '',
  }, '\n')
end

-- Turns the items of a reply into texts, from its place `first` on. Returns the reply.
function texts.asTexts(reply, first)
  for i = first, #reply do
    reply[i] = textOf(reply[i])
  end
  return reply
end

-- Describes the reservation that holds a slot, as slotText().
function texts.holdText(slot, refCount, own)
  return table.concat({
    slot, 'o', own.owner, refCount, own.reservedAt, ownership.endOf(own), own.token == codec.UNCLAIMED and 1 or 0,
    own.session and 1 or 0, own.requestedName, own.label, own.note or '', own.condition or '',
  }, '\n')
end

-- Describes a slot for a page that shows who holds what. Returns a text with a line for each of: the slot; whether it
-- is '' free, 'o' held by a reservation of its own, 'a' taken along by other reservations, 's' held SHARED; the holder;
-- number of reservations that hold it; since ms; end ms, 0 none; 1 if it waits to be claimed, else 0; 1 if it ends with
-- a session, else 0; the name that was asked for; label of the key; note, '' none; the condition that it asked for,
-- '' ready; and, if it is held SHARED, the first who hold it.
function texts.slotText(slot)
  local record = slotMap.recordAt(slot)
  work.spend(2)
  if not record then
    return slot .. '\n'
  elseif shared.isSharedHold(slot, record) then
    return table.concat({ slot, 's', '', record.refCount, 0, 0, 0, 0, slot, '', '', '', record.holders or '' }, '\n')
  end
  local own = record.token and record or ownership.reservationAt(slot, record.owner)
  if not own then
    return table.concat({ slot, 'a', record.owner, record.refCount, 0, 0, 0, 0, '', '', '', '' }, '\n')
  end
  return texts.holdText(slot, record.refCount, own)
end

return texts
