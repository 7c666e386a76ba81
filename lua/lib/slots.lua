-- The tenant's slots as this script sees and changes them. Scripts decide on these tables and write once, at the end,
-- by commit(): a Redis command that fails earlier has changed nothing, and what was done since a mark can be undone.
--   records[slot]   its record (codec.lua), false if it is free, nil if it was not read
--   original[slot]  the record as it was read, for slots that were changed
--   changed         these slots, in order
--   journal         slot and record before, alternately, for each change
--@include tenant
--@include codec
--@include pools
local records, original, changed = {}, {}, {}
local journal = {}
-- Whether the earliest entry of the index of due times may have changed other than by a new one.
local dueStale = false

-- Reports an inconsistency that was found and mended, in Redis's log.
local function report(what)
  redis.log(redis.LOG_WARNING, 'Holdfast mended tenant ' .. base .. ' ' .. what)
end

-- Slots that are read at once before it is known how large their records are.
local FIRST_STEP = 20

-- Reads slots into records, except those already there. Takes an array of names.
local function read(slots)
  local missing = {}
  for _, slot in ipairs(slots) do
    if records[slot] == nil then
      records[slot] = false
      missing[#missing + 1] = slot
    end
  end
  -- Of some records a few are a megabyte, so what comes next is read in view of what there was.
  local from, step = 1, FIRST_STEP
  while from <= #missing do
    local last, bytes = math.min(from + step - 1, #missing), 0
    spend((2 + shortHashCost(count)) * (last - from + 1))
    local found = redis.call('HMGET', slotsKey, unpack(missing, from, last))
    for i, packed in ipairs(found) do
      local slot = missing[from + i - 1]
      if packed then
        bytes = bytes + #packed
        records[slot] = unpackRecord(slot, packed)
      end
    end
    spend(bytes / 200)
    step = bytes > 400 * (last - from + 1) and FIRST_STEP or 1000
    from = last + 1
  end
end

-- The record of a slot; false if it is free.
local function at(slot)
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

-- How many slots of a resource are held, including those whose names it had with another capacity.
local function heldOf(name)
  return poolOf(name).held + (at(name) and 1 or 0)
end

-- The slot that an owner was assigned of a pool; false for none.
local function assignedSlot(name, owner)
  local pool = poolOf(name)
  local slot = pool.assigned[owner]
  if slot == nil then
    slot = false
    if pool.stored > 0 then
      spend(1)
      slot = redis.call('HGET', poolsKey, name .. '\n' .. owner)
    end
    pool.assigned[owner] = slot
  end
  if slot then
    return slot
  end
  local record = at(name)
  return record and record.owner == owner and name
end

-- Gives a slot another record, or frees it if that is false. The slot was read, or is known to be free.
local function put(slot, record)
  spend(5 + #slot / 80)
  local before = records[slot] or false
  if original[slot] == nil then
    original[slot] = before
    changed[#changed + 1] = slot
  end
  journal[#journal + 1] = slot
  journal[#journal + 1] = before
  count = count - (before and before.token and 1 or 0) + (record and record.token and 1 or 0)
  if before and before.pool ~= '' then
    account(slot, before, -1)
    if record and record.pool == '' then
      local name, index = slotIndex(slot)
      flip(name, index, true)
    end
  end
  if record and record.pool ~= '' then
    account(slot, record, 1)
  end
  records[slot] = record
end

-- Undoes all changes since the journal was so long, the last first.
local function undo(mark)
  while #journal > mark do
    local slot, before = journal[#journal - 1], journal[#journal]
    put(slot, before)
    for _ = 1, 4 do
      journal[#journal] = nil
    end
  end
end

-- A copy of the record with some of its fields replaced.
local function with(record, fields)
  local copy = {}
  for name, value in pairs(record) do
    copy[name] = value
  end
  for name, value in pairs(fields) do
    copy[name] = value
  end
  return copy
end

-- Lets go of one need of a slot. If that was the last one, frees the slot and adds it to freed.
local function letGo(slot, freed)
  local record = at(slot)
  if not record then
    report('slot ' .. slot .. ': a plan named it, and it was free')
  elseif record.needs > 1 then
    put(slot, with(record, { needs = record.needs - 1 }))
  else
    put(slot, false)
    freed[#freed + 1] = slot
  end
end

-- Ends the reservation that stands on a slot and undoes what its own plan took, as it was recorded then. Returns the
-- slots that became free, its own first.
local function release(slot)
  local record, freed = at(slot), {}
  if record.needs > 1 then
    put(slot, { owner = record.owner, needs = record.needs - 1, pool = record.pool, byName = record.byName })
  else
    letGo(slot, freed)
  end
  if record.plan ~= '' then
    local others = {}
    for other in string.gmatch(record.plan, '[^\n]+') do
      others[#others + 1] = other
    end
    read(others)
    for _, other in ipairs(others) do
      letGo(other, freed)
    end
  end
  return freed
end
