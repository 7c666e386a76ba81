-- The bookings of slots that have not begun, by slot and start (docs/specification.md#bookings), as this call sees and
-- changes them. The sorted set `booked`, all of whose scores are 0, has a member for each:
--   s<slot>\n<start><end><id>\n<requester>
-- Start and end are in s since 1970, UTC, of 10 digits, and the id has 22 characters. One that is delayed stays there
-- until it begins or ends: its start is over then. Bookings of a slot never overlap. bookings/records.lua writes the
-- set, in which it has other members, and tells this module of the changes of the call. Field: readWork, the work that
-- the call has spent on reading (frame/work.lua).
local hot = require('frame/hot')
local keys = require('frame/keys')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')
local booked = {}
local NONE = {}
local sub = string.sub
-- Entries that are read first, and then at once, to find one of another requester.
local FIRST, STEP = 2, 10
-- known[slot]: the first entries of a slot that Redis has, nil if they were not read. changed[slot]: what this call has
-- changed: member -> its entry if it was added, false if it was removed.
local known, changed

-- Returns the member of a slot's booking, whose times are in s.
function booked.memberOf(slot, startS, endS, id, requester)
  return string.format('s%s\n%010d%010d%s\n%s', slot, startS, endS, id, requester)
end

-- Returns a member as a table: start and end in s, id and requester.
local function entryOf(slot, member)
  -- By places: a pattern takes longer.
  local at = #slot + 3
  return {
    start = tonumber(sub(member, at, at + 9)), ['end'] = tonumber(sub(member, at + 10, at + 19)),
    id = sub(member, at + 20, at + 41), requester = sub(member, at + 43), member = member,
  }
end

-- Returns true if the tenant has bookings.
function booked.areAny()
  return tenant.flags % (2 * hot.HAS_BOOKINGS) >= hot.HAS_BOOKINGS or next(changed) ~= nil
end

-- Returns up to a number of entries of a slot that Redis has, behind a member (nil: the first ones), and the last
-- if there may be more.
local function read(slot, limit, after)
  local from = after and '(' .. after or '[s' .. slot .. '\n'
  local members = redis.call('ZRANGE', keys.booked, from, '(s' .. slot .. '\11', 'BYLEX', 'LIMIT', 0, limit)
  local entries = {}
  work.spend(3 + #members)
  booked.readWork = booked.readWork + 3 + #members
  for i, member in ipairs(members) do
    entries[i] = entryOf(slot, member)
  end
  return entries, members[limit]
end

-- Returns the first booking of a slot that this call has added, of another than a requester; nil if there is none.
local function firstAdded(slot, requester)
  local first
  for _, entry in pairs(changed[slot] or NONE) do
    work.spend(0.1)
    if entry and entry.requester ~= requester and not (first and first.start <= entry.start) then
      first = entry
    end
  end
  return first
end

-- Returns true if an entry that Redis has is not removed by this call.
local function isThere(slot, entry)
  return not (changed[slot] and changed[slot][entry.member] == false)
end

-- Returns the first booking of a slot that Redis has, and that this call has not removed, of another than a requester;
-- nil if there is none.
local function firstStored(slot, requester)
  local entries = known[slot]
  if not entries then
    local last
    entries, last = read(slot, FIRST)
    entries.last, known[slot] = last, entries
  end
  local last = entries.last
  repeat
    for _, entry in ipairs(entries) do
      if entry.requester ~= requester and isThere(slot, entry) then
        return entry
      end
    end
    entries = {}
    if last then
      entries, last = read(slot, STEP, last)
    end
  until #entries == 0
end

-- Returns the first booking of a slot that has not begun, of another than a requester (nil: of anybody), as a table:
-- start and end in s, id and requester; nil if there is none.
function booked.firstOf(slot, requester)
  if not booked.areAny() then
    return nil
  end
  local added, stored = firstAdded(slot, requester), firstStored(slot, requester)
  return added and not (stored and stored.start < added.start) and added or stored
end

-- Returns those of the first few bookings of a slot that have not begun, as firstOf(), in order. Takes how many are
-- looked at. Those that this call has added are not among them.
function booked.firstFew(slot, limit)
  local found = {}
  for _, entry in ipairs(booked.areAny() and read(slot, limit) or NONE) do
    found[#found + 1] = isThere(slot, entry) and entry or nil
  end
  return found
end

-- Returns when the first booking of a slot begins, of another than a requester (nil: of anybody), in ms; infinite if
-- there is none. A delayed one has begun.
function booked.startOf(slot, requester)
  local first = booked.firstOf(slot, requester)
  return first and first.start * 1000 or math.huge
end

-- Returns the last booking of a slot that overlaps a time, in s, as firstOf(); nil if there is none.
function booked.overlapping(slot, startS, endS)
  for _, entry in pairs(changed[slot] or {}) do
    work.spend(0.1)
    if entry and entry.start < endS and entry['end'] > startS then
      return entry
    end
  end
  local upper = string.format('(s%s\n%010d', slot, endS)
  while booked.areAny() do
    local member = redis.call('ZRANGE', keys.booked, upper, '[s' .. slot .. '\n', 'BYLEX', 'REV', 'LIMIT', 0, 1)[1]
    work.spend(3)
    local entry = member and entryOf(slot, member)
    if not entry or entry['end'] <= startS then
      return nil
    elseif isThere(slot, entry) then
      return entry
    end
    upper = '(' .. member
  end
end

-- Returns the number of bookings of a slot that have not begun.
function booked.countOf(slot)
  local count = redis.call('ZLEXCOUNT', keys.booked, '[s' .. slot .. '\n', '(s' .. slot .. '\11')
  work.spend(2)
  for _, entry in pairs(changed[slot] or {}) do
    count = count + (entry and 1 or -1)
  end
  return count
end

-- Returns true if slots of a resource can be booked.
function booked.isBookable(resource)
  local own = registry.definition(resource)
  return own and own.isBookable or false
end

-- Notes on paper that a booking of a slot is added, or removed. Takes its record (bookings/records.lua), and its id.
function booked.change(record, id, isThereNow)
  local slot = record.slot
  local member = booked.memberOf(slot, record.start, record['end'], id, record.requester)
  local own = changed[slot] or {}
  changed[slot] = own
  if own[member] ~= nil then
    -- It is as Redis has it.
    own[member] = nil
    if next(own) == nil then
      changed[slot] = nil
    end
  else
    own[member] = isThereNow and entryOf(slot, member)
  end
end

-- Returns the slots of which this call has changed bookings.
function booked.changedSlots()
  local slots = {}
  for slot in pairs(changed) do
    slots[#slots + 1] = slot
  end
  return slots
end

-- Forgets what was read and changed: it is written.
function booked.forget()
  known, changed, booked.readWork = {}, {}, 0
end

function booked.begin()
  if not known or next(known) or next(changed) then
    booked.forget()
  end
end

return booked
