-- Bookings (docs/specification.md#bookings), as this call sees and changes them: those that have not begun, and those
-- whose time is running. Changes are made on paper, with the journal of slots/slots.lua, and written by commit().
--   bookings     hash: id -> record, as JSON
--   booked       sorted set of members with the score 0, in byte order: those of bookings/booked.lua, and for lists,
--                of each booking, by resource, requester and series, and of all; of delayed ones; and, by number, of
--                slots of pools:
--                  r<resource>\n<start><id>   q<requester>\n<start><id>   e<series>\n<start><id>   a<start><id>
--                  d<start><id><resource>     n<resource>\n<number of 7 digits><id>
--   bookingsDue  sorted set: id -> ms of its next moment (bookings/members.lua). A member \1<member> says that delayed
--                bookings have to be tried, from behind a member of `booked` on (bookings/starts.lua)
-- A record is a table, which is replaced and never modified:
--   resource, slot, requester, type ('' the default)
--   start, end   s since 1970, UTC
--   state        b it has not begun; d it is delayed; r its requester has the slot
--   token        the release token that its reservation gets
--   label        label of the key that booked it, '' none; bookedAt: ms
--   note, actor  nil none; who booked it, if another than its requester did
--   claimWithin  s in which it must be claimed once it has begun, nil never; claimed: true once it is
--   tried        of one that is delayed: when a moment of it came last, in s
--   series       the id of its series, nil none
--   named        true if it was booked by the name of its slot, nil by that of its pool
--   begun        of one that runs: when it began, in s; resets: the number of resets before. After another one it is
--                over
--   rev          the revision (bookings/copies.lua)
local booked = require('bookings/booked')
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local copies = require('bookings/copies')
local keys = require('frame/keys')
local members = require('bookings/members')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local records = {}
-- known[id]: the record, false for none, nil if it was not read. original[id]: that before this call's changes.
-- changed: the ids of these, in order. resets: the number of resets, nil if it was not read.
-- stale[id]: the record of one that ran when there was a reset: nothing has removed it yet.
local known, original, changed, resets, stale
-- Members of bookingsDue that are no bookings, to add and to remove: member -> true or false.
local marks

records.areAny = booked.areAny

-- Returns the number of resets of the tenant.
function records.resets()
  resets = resets or tonumber(redis.call('HGET', keys.tenant, 'resets') or 0)
  return resets
end

-- Returns a record that was read; false if it is over.
local function unpackRecord(id, text)
  local record = text and cjson.decode(text)
  work.spend(text and #text / 60 or 0)
  if record and record.state == 'r' and record.resets ~= records.resets() then
    stale[id] = record
    return false
  end
  return record
end

-- Reads records that were not read yet, at once. Takes an array of at most 1,000 ids.
function records.read(ids)
  local missing = {}
  for _, id in ipairs(ids) do
    if known[id] == nil then
      missing[#missing + 1] = id
    end
  end
  if #missing > 0 then
    work.spend(2 + #missing)
    for i, text in ipairs(redis.call('HMGET', keys.bookings, unpack(missing))) do
      known[missing[i]] = unpackRecord(missing[i], text)
    end
  end
end

-- Returns the record of a booking; false if there is none, or it is over.
function records.at(id)
  records.read({ id })
  return known[id]
end

-- Returns when a booking ends, in ms; nil if it is over.
function records.endOf(id)
  local record = records.at(id)
  return record and record['end'] * 1000 or nil
end

-- Assigns a record, and tells the index by slot.
local function assign(id, record)
  local before = known[id]
  if before and before.state ~= 'r' then
    booked.change(before, id, false)
  end
  if record and record.state ~= 'r' then
    booked.change(record, id, true)
  end
  known[id] = record
end

local function valueOf(change)
  return known[change.id]
end

-- Gives a booking the record that it had before a change, or after it.
local function restore(change, record)
  slotMap.noteChange(change, known[change.id])
  assign(change.id, record)
end

-- Replaces the record of a booking on paper; false removes it.
function records.put(id, record)
  work.spend(6)
  local before = records.at(id)
  if original[id] == nil then
    original[id] = before
    changed[#changed + 1] = id
  end
  slotMap.noteChange({ id = id, restore = restore, valueOf = valueOf }, before)
  assign(id, record)
end

-- Replaces some fields of the record of a booking; false removes one.
function records.change(id, fields)
  local copy = {}
  for name, value in pairs(records.at(id)) do
    copy[name] = value
  end
  for name, value in pairs(fields) do
    copy[name] = value or nil
  end
  records.put(id, copy)
end

-- Removes a booking whose end has come, if it is there.
function records.drop(id)
  if not records.at(id) and stale[id] then
    original[id], changed[#changed + 1] = stale[id], id
  elseif known[id] then
    records.put(id, false)
  end
end

-- Returns the members of `booked` of the bookings that this call has delayed.
function records.newlyDelayed()
  local found = {}
  for _, id in ipairs(changed) do
    if known[id] and known[id].state == 'd' and not (original[id] and original[id].state == 'd') then
      found[#found + 1] = members.delayed(id, known[id])
    end
  end
  return found
end

-- Removes a due moment of what is no booking.
function records.removeMoment(member)
  marks[member] = false
end

-- Notes that its requester has claimed what a booking has, if it has to.
function records.claim(id)
  local record = records.at(id)
  if record and record.claimWithin and not record.claimed then
    records.change(id, { claimed = true })
  end
end

-- Ends the booking of a reservation that ends.
function records.noteEnded(id)
  if records.at(id) and known[id].state == 'r' then
    records.put(id, false)
  end
end

-- Returns how many of the bookings that this call has made, and not undone, a function counts. Takes a function that
-- returns true for a record to count.
function records.countNew(isCounted)
  local count = 0
  for _, id in ipairs(changed) do
    count = count + (known[id] and not original[id] and isCounted(known[id]) and 1 or 0)
  end
  work.spend(#changed / 20)
  return count
end

-- Notes that delayed bookings have to be tried by the next call, from behind a member of `booked` on, '' all of them;
-- or no longer.
function records.markRetry(after, isNeeded)
  marks['\1' .. after] = isNeeded
end

-- Writes the moments of bookings, and of what is marked.
local function writeMoments(ids)
  local due, undue = {}, {}
  local function add(member, ms)
    due[#due + 1], due[#due + 2] = ms, member
    tenant.nextDue = math.min(tenant.nextDue, ms)
  end
  for _, id in ipairs(ids) do
    if known[id] then
      add(id, members.dueOf(known[id]))
    else
      undue[#undue + 1] = id
    end
  end
  for member, isNeeded in pairs(marks) do
    if isNeeded then
      add(member, clock.nowMs())
    else
      undue[#undue + 1] = member
    end
  end
  bytes.callWith('ZADD', keys.bookingsDue, due)
  bytes.callWith('ZREM', keys.bookingsDue, undue)
end

-- Writes all changes.
function records.write()
  if not changed[1] and next(marks) == nil then
    return
  end
  local set, del, add, remove, ids, noted = {}, {}, {}, {}, {}, {}
  for _, id in ipairs(changed) do
    local before, after = original[id], known[id]
    if before ~= after then
      members.compare(add, remove, id, before, after)
      ids[#ids + 1] = id
      copies.note(noted, id, before, after)
      if after then
        set[#set + 1], set[#set + 2] = id, cjson.encode(after)
      else
        del[#del + 1] = id
      end
    end
  end
  bytes.callWith('HDEL', keys.bookings, del)
  bytes.callWith('HSET', keys.bookings, set)
  bytes.callWith('ZREM', keys.booked, remove)
  bytes.callWith('ZADD', keys.booked, add)
  copies.write(noted)
  writeMoments(ids)
  tenant.setFlag(tenant.HAS_BOOKINGS, redis.call('EXISTS', keys.bookings) == 1)
  records.forget()
end

-- Returns the earliest moment of the bookings that this call has changed, in ms, infinite if there is none.
function records.earliest()
  local earliest = math.huge
  for _, id in ipairs(changed) do
    earliest = math.min(earliest, known[id] and known[id] ~= original[id] and members.dueOf(known[id]) or math.huge)
  end
  return earliest
end

-- Returns when the next moment is, in ms, infinite if there is none: as Redis has it.
function records.nextDue()
  return records.areAny() and
    tonumber(redis.call('ZRANGE', keys.bookingsDue, 0, 0, 'WITHSCORES')[2] or math.huge) or math.huge
end

-- Forgets what was read and changed: it is written.
function records.forget()
  known, original, changed, resets, stale, marks = {}, {}, {}, nil, {}, {}
  booked.forget()
end

function records.begin()
  -- Few calls have to do with bookings: without one, the empty tables of the call before serve again.
  if not known or next(known) or next(marks) or resets then
    records.forget()
  end
end

return records
