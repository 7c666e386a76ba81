-- The tenant's slots, as this script sees and changes them. Scripts change these tables, and write them once, at the
-- end, by finish(). So if a Redis command fails earlier, nothing has changed, and undo() can undo changes.
--   records[slot]   the slot's record (codec.lua), false if it is free, nil if it was not read
--   original[slot]  the record before this script's changes, for changed slots
--   changed         the changed slots, in order
--   journal         slot, record before, slot, record before, ...: one pair for each change
--@include codec
--@include pools
--@include slotNames
--@include tenant
--@nest
local records, original, changed = {}, {}, {}
local journal = {}
-- True if a changed slot is one of a pool, or may become one: its name ends with an index.
local arePoolsTouched = false

-- Returns the extra work units for one look-up in a hash of this many fields: Redis walks a short hash as a list.
local function shortHashCost(fields)
  return fields <= 512 and fields / 150 or 0
end

-- Reads the records of slots that were not read yet. Takes an array of names.
local function readSlots(slots)
  -- Number of slots in the first read, while the size of the records is not known yet.
  local FIRST_STEP = 20
  local missing = {}
  for _, slot in ipairs(slots) do
    if records[slot] == nil then
      records[slot] = false
      missing[#missing + 1] = slot
    end
  end
  -- A few records may be a megabyte together, so each step depends on the size of the one before.
  local from, step = 1, FIRST_STEP
  while from <= #missing do
    local last, bytes, count = math.min(from + step - 1, #missing), 0, 0
    spend((1 + shortHashCost(tenant.count)) * (last - from + 1))
    local found = redis.call('HMGET', slotsKey, unpack(missing, from, last))
    for i, packed in ipairs(found) do
      local slot = missing[from + i - 1]
      if packed then
        bytes, count = bytes + #packed, count + 1
        records[slot] = unpackRecord(slot, packed)
      end
    end
    spend(count + bytes / 200)
    step = bytes > 400 * (last - from + 1) and FIRST_STEP or 1000
    from = last + 1
  end
end

-- Returns the record of a slot; false if it is free.
local function recordAt(slot)
  local record = records[slot]
  if record == nil then
    spend(3)
    local packed = redis.call('HGET', slotsKey, slot)
    if packed then
      spend(#packed / 200)
    end
    record = packed and unpackRecord(slot, packed)
    records[slot] = record
  end
  return record
end

-- Returns true if a record is of a further slot of a reservation of several slots: these count towards the cap.
local function isFurther(record)
  return record and record.byName and not record.token and string.sub(record.owner, 1, 7) ~= 'system:'
end

-- Replaces a slot's record; false frees the slot. The slot must have been read, or be known to be free.
local function setRecord(slot, record)
  spend(5 + #slot / 80)
  local before = records[slot] or false
  if original[slot] == nil then
    original[slot] = before
    changed[#changed + 1] = slot
  end
  journal[#journal + 1] = slot
  journal[#journal + 1] = before
  if tenant.queue then
    -- Tells this state of the slots from all others (waiting/turns.lua).
    journal.changes = (journal.changes or 0) + 1
    journal[-#journal] = journal.changes
  end
  tenant.count = tenant.count - (before and before.token and 1 or 0) + (record and record.token and 1 or 0)
  if before and before.byName or record and record.byName then
    tenant.further = tenant.further - (isFurther(before) and 1 or 0) + (isFurther(record) and 1 or 0)
  end
  arePoolsTouched = arePoolsTouched or slotIndex(slot) ~= nil
  if before and before.pool ~= '' then
    account(slot, before, -1)
    if record and record.pool == '' then
      local name, index = slotIndex(slot)
      markSlot(name, index, true)
    end
  end
  if record and record.pool ~= '' then
    account(slot, record, 1)
  end
  records[slot] = record
end
