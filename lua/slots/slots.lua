-- The tenant's slots, as this call sees and changes them. Modules change these tables, and commit() writes them once,
-- at the end. So if a Redis command fails earlier, nothing has changed, and undo() can undo changes. Fields:
--   records[slot]   the slot's record (slots/codec.lua), false if it is free, nil if it was not read
--   original[slot]  the record before this call's changes, for changed slots
--   changed         the changed slots, in order
--   journal         slot, record before, slot, record before, ...: one pair for each change. A change of a condition
--                   or of a booking has a table in place of the slot, and the value before: its functions
--                   restore(change, value) and valueOf(change) give it a value, and return that of now
--   arePoolsTouched true if a changed slot is one of a pool, or may become one: its name ends with a number
local codec = require('slots/codec')
local keys = require('frame/keys')
local marks = require('slots/marks')
local pools = require('slots/pools')
local tenant = require('frame/tenant')
local work = require('frame/work')
local slotMap = {}

-- Returns the extra work units for one look-up in a hash of this many fields: Redis walks a short hash as a list.
function slotMap.shortHashCost(fields)
  return fields <= 512 and fields / 150 or 0
end

-- Returns those of some slots that were not read yet, nil if all were. Notes them as free.
local function missingOf(slots)
  local missing
  for _, slot in ipairs(slots) do
    if slotMap.records[slot] == nil then
      slotMap.records[slot] = false
      missing = missing or {}
      missing[#missing + 1] = slot
    end
  end
  return missing
end

-- Reads the records of slots that were not read yet. Takes an array of names.
function slotMap.readSlots(slots)
  -- Number of slots in the first read, while the size of the records is not known yet.
  local FIRST_STEP = 20
  local missing = missingOf(slots)
  if not missing then
    return
  end
  -- A few records may be a megabyte together, so each step depends on the size of the one before.
  local from, step = 1, FIRST_STEP
  while from <= #missing do
    local last, bytes, count = math.min(from + step - 1, #missing), 0, 0
    work.spend((1 + slotMap.shortHashCost(tenant.count)) * (last - from + 1))
    local found = redis.call('HMGET', keys.slots, unpack(missing, from, last))
    for i, packed in ipairs(found) do
      if packed then
        local slot = missing[from + i - 1]
        bytes, count = bytes + #packed, count + 1
        slotMap.records[slot] = codec.unpackRecord(slot, packed)
      end
    end
    work.spend(count + bytes / 200)
    step = bytes > 400 * (last - from + 1) and FIRST_STEP or 1000
    from = last + 1
  end
end

-- Returns the record of a slot; false if it is free.
function slotMap.recordAt(slot)
  local record = slotMap.records[slot]
  if record == nil then
    work.spend(3)
    local packed = redis.call('HGET', keys.slots, slot)
    if packed then
      work.spend(#packed / 200)
    end
    record = packed and codec.unpackRecord(slot, packed)
    slotMap.records[slot] = record
  end
  return record
end

-- Returns the resource for which the service holds a slot, as its blocker or its ancestor, or because the slot is held
-- SHARED. Takes the owner in the slot's record. Returns nil if that is a requester.
function slotMap.declarerOf(owner)
  return string.match(owner, '^system:(.+)$')
end

-- Returns true if a record is of a slot of a reservation of several slots, but not the first: these count towards the
-- cap.
function slotMap.isMoreSlot(record)
  return record and record.byName and not record.token and not slotMap.declarerOf(record.owner)
end

-- Adds a change to the journal: a slot and its record before, or a change of a condition and the value before.
function slotMap.noteChange(change, before)
  local journal = slotMap.journal
  local length = #journal + 2
  journal[length - 1], journal[length] = change, before
  if tenant.queue then
    -- Tells this state of the slots from all others (waiting/turns.lua).
    journal.changes = (journal.changes or 0) + 1
    journal[-length] = journal.changes
  end
end

-- Notes the record that a slot has before a change.
local function note(slot, before)
  if slotMap.original[slot] == nil then
    slotMap.original[slot] = before
    slotMap.changed[#slotMap.changed + 1] = slot
  end
  slotMap.noteChange(slot, before)
end

-- Counts a slot of a pool among the held ones (1), or no longer (-1).
local function account(slot, record, change)
  pools.account(slot, record, change)
  marks.account(record.pool, slot, change)
end

-- Counts the reservations and other slots that a change makes (1) or ends (-1).
local function count(record, change)
  if record.token then
    tenant.count = tenant.count + change
  elseif slotMap.isMoreSlot(record) then
    tenant.moreSlots = tenant.moreSlots + change
  end
end

-- Replaces a slot's record; false frees the slot. The slot must have been read, or be known to be free.
function slotMap.setRecord(slot, record)
  work.spend(5 + #slot / 80)
  local before = slotMap.records[slot] or false
  note(slot, before)
  slotMap.arePoolsTouched = slotMap.arePoolsTouched or pools.slotNumber(slot) ~= nil
  if before then
    count(before, -1)
    if before.pool ~= '' then
      account(slot, before, -1)
      if record and record.pool == '' then
        local name, slotNumber = pools.slotNumber(slot)
        pools.markSlot(name, slotNumber, true)
      end
    end
  end
  if record then
    count(record, 1)
    if record.pool ~= '' then
      account(slot, record, 1)
    end
  end
  slotMap.records[slot] = record
end

-- Returns the resources of which slots were held before this call and are not now, also a plain name that was handed
-- on to another pool.
function slotMap.lostNames()
  local names, isIn = {}, {}
  for _, slot in ipairs(slotMap.changed) do
    local before, record = slotMap.original[slot], slotMap.records[slot]
    if before and not (record and record.pool == before.pool) then
      local name = before.pool ~= '' and before.pool or slot
      if not isIn[name] then
        isIn[name] = true
        names[#names + 1] = name
      end
    end
  end
  return names
end

-- Undoes all changes since the journal had this length, last first.
function slotMap.undo(length)
  while #slotMap.journal > length do
    local slot, before = slotMap.journal[#slotMap.journal - 1], slotMap.journal[#slotMap.journal]
    if slot.restore then
      slot.restore(slot, before)
    else
      slotMap.setRecord(slot, before)
    end
    for _ = 1, 4 do
      slotMap.journal[#slotMap.journal] = nil
    end
  end
end

function slotMap.begin()
  -- Most calls of the plain way read no slot: without one, the empty tables of the call before serve again.
  -- One that changed only a booking has a journal.
  if not slotMap.records or next(slotMap.records) or slotMap.journal[1] then
    slotMap.records, slotMap.original, slotMap.changed, slotMap.journal = {}, {}, {}, {}
  end
  slotMap.arePoolsTouched = false
end

return slotMap
