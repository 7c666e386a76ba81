-- The tenant's pools (docs/specification.md#resources), as this call sees and changes them. The slots of a pool are
-- <pool>_0, <pool>_1 and so on. The pools hash has
--   <pool>            how many of its slots are held, and more, packed (slots/poolValues.lua); absent if none is held
--   <pool>\n<owner>   the slot that the owner was assigned
--   <name>\1<chunk>   a bitmap of the slots <name>_<i> that are held, as slots of a pool or as plain resources: 512 of
--                     them, 64 bytes. Zero bytes at the end of a chunk are left out; an empty chunk has no field
-- Scripts change the tables here; commit() writes what addChanges() returns.
local keys = require('frame/keys')
local values = require('slots/poolValues')
local work = require('frame/work')
local pools = {}
local byteAt, find, floor, max, union = string.byte, string.find, math.floor, math.max, bit.bor
-- The slots of a chunk, and its bytes.
local CHUNK_SLOTS, CHUNK_BYTES = 512, 64
pools.CHUNK_SLOTS, pools.CHUNK_BYTES = CHUNK_SLOTS, CHUNK_BYTES

-- names[slot], slotNumbers[slot]: the pool and the number that a name of the form <pool>_<number> means; false if it
-- cannot be the name of a slot.
local names, slotNumbers
-- known[name]: a pool, see poolOf(). chunks[field]: the bytes of a chunk. changed[field]: true if they were changed.
local known, chunks, changed
-- The field that chunkField() has returned last.
local lastName, lastChunk, lastField

-- Splits 'pool_12' into 'pool', 12. Returns nil if the name cannot be that of a slot: no number at its end, a leading
-- zero, or more than six digits, which no capacity has (MAX_CAPACITY in src/domain/maxSizes.ts).
function pools.split(name)
  local last = byteAt(name, -1) or 0
  if last < 48 or last > 57 or not find(name, '_', 1, true) then
    return nil
  end
  local pool, slotNumber = string.match(name, '^(.+)_(%d+)$')
  if pool and #slotNumber < 7 and (slotNumber == '0' or byteAt(slotNumber) ~= 48) then
    return pool, tonumber(slotNumber)
  end
end

-- The same for the name of a slot that the call may ask for again.
function pools.slotNumber(slot)
  local pool = names[slot]
  if pool == nil then
    local last = byteAt(slot, -1) or 0
    if last < 48 or last > 57 then
      return nil
    end
    pool, slotNumbers[slot] = pools.split(slot)
    names[slot] = pool or false
  end
  if pool then
    return pool, slotNumbers[slot]
  end
end

-- Returns the name of a pool's slot.
function pools.slotAt(pool, slotNumber)
  local slot = string.format('%s_%d', pool, slotNumber)
  names[slot], slotNumbers[slot] = pool, slotNumber
  return slot
end

-- Returns a pool, a table:
--   held      number of its slots that are held
--   stored    the stored value of held
--   from      no slot below this number is free and ready; fromDirty, fromOut: none is free and dirty, or out
--   heldOut, heldDirty  number of its slots that are held and out of service, or dirty (slots/marks.lua)
--   isLong    true if these are stored even if they are 0
--   assigned  owner -> slot, false for none, nil if it was not read
--   isChanged true if commit() must write the pool even if held has not changed
function pools.poolOf(name)
  local pool = known[name]
  if not pool then
    work.spend(2)
    local packed = redis.call('HGET', keys.pools, name)
    local held, from = values.unpack(packed)
    pool = {
      held = held, from = from, stored = held, assigned = {}, heldOut = 0, heldDirty = 0, fromDirty = 0, fromOut = 0,
    }
    if values.isLong(packed) then
      pool.heldOut, pool.heldDirty, pool.fromDirty, pool.fromOut = values.unpackMore(packed)
    end
    known[name] = pool
  end
  return pool
end

-- Returns the slot of a pool that an owner was assigned; false for none.
function pools.assignedTo(name, owner)
  local pool = pools.poolOf(name)
  local slot = pool.assigned[owner]
  if slot == nil then
    slot = false
    if pool.stored > 0 then
      work.spend(1)
      slot = redis.call('HGET', keys.pools, name .. '\n' .. owner)
    end
    pool.assigned[owner] = slot
  end
  return slot
end

-- Notes that a slot of this number is free, or has another condition.
function pools.lower(pool, slotNumber)
  pool.from = math.min(pool.from, slotNumber)
  pool.fromDirty, pool.fromOut = math.min(pool.fromDirty, slotNumber), math.min(pool.fromOut, slotNumber)
end

-- Adds a slot to the held slots of its pool (change 1) or removes it (-1). Takes the slot's record.
function pools.account(slot, record, change)
  local pool = pools.poolOf(record.pool)
  local _, slotNumber = pools.slotNumber(slot)
  pool.held = pool.held + change
  pools.markSlot(record.pool, slotNumber, change == 1)
  if change == -1 then
    pools.lower(pool, slotNumber)
  end
  if not record.byName then
    pool.assigned[record.owner] = change == 1 and slot
  end
end

-- Returns the field of a chunk. Most requests need that of one chunk, several times.
function pools.chunkField(name, chunk)
  if name ~= lastName or chunk ~= lastChunk then
    lastName, lastChunk, lastField = name, chunk, string.format('%s\1%d', name, chunk)
  end
  return lastField
end

-- Reads chunks that were not read yet. Takes an array of fields.
function pools.readChunks(fields)
  local missing = {}
  for _, field in ipairs(fields) do
    if not chunks[field] then
      chunks[field] = ''
      missing[#missing + 1] = field
    end
  end
  for from = 1, #missing, 1000 do
    work.spend(2 * math.min(1000, #missing))
    local found = redis.call('HMGET', keys.pools, unpack(missing, from, math.min(from + 999, #missing)))
    for i, packed in ipairs(found) do
      chunks[missing[from + i - 1]] = packed or ''
    end
  end
end

-- Returns true if a chunk was read.
function pools.isChunkRead(field)
  return chunks[field] ~= nil
end

-- Returns the bytes of a chunk; zero bytes at its end may be missing.
function pools.chunkAt(field)
  local chunk = chunks[field]
  if not chunk then
    work.spend(2)
    chunk = redis.call('HGET', keys.pools, field) or ''
    chunks[field] = chunk
  end
  return chunk
end

-- Returns the bytes of a chunk with the slot of this number marked as held or free.
function pools.marked(chunk, slotNumber, isHeld)
  local at, mask = floor(slotNumber % CHUNK_SLOTS / 8) + 1, bit.rshift(128, slotNumber % 8)
  local before = byteAt(chunk, at) or 0
  local byte = isHeld and union(before, mask) or bit.band(before, 255 - mask)
  if byte == before then
    return chunk
  elseif #chunk < at - 1 then
    chunk = chunk .. string.rep('\0', at - 1 - #chunk)
  end
  return string.sub(chunk, 1, at - 1) .. string.char(byte) .. string.sub(chunk, at + 1)
end

-- Returns true if a bitmap, the bytes of a chunk, marks the slot of this number.
function pools.isMarked(chunk, slotNumber)
  local byte = byteAt(chunk, floor(slotNumber % CHUNK_SLOTS / 8) + 1)
  return byte and bit.band(byte, bit.rshift(128, slotNumber % 8)) ~= 0
end

-- Marks slot <name>_<number> as held or free.
function pools.markSlot(name, slotNumber, isHeld)
  local field = pools.chunkField(name, floor(slotNumber / CHUNK_SLOTS))
  local chunk = pools.chunkAt(field)
  local marked = pools.marked(chunk, slotNumber, isHeld)
  if marked ~= chunk then
    chunks[field], changed[field] = marked, true
  end
end

-- Returns the bytes of a chunk as they are stored: without zero bytes at the end.
function pools.trimmed(chunk)
  local last = #chunk
  while last > 0 and byteAt(chunk, last) == 0 do
    last = last - 1
  end
  return last == #chunk and chunk or string.sub(chunk, 1, last)
end

-- Returns the number of the first slot that is free in a byte with one.
function pools.freeBit(byte)
  local offset = 0
  while bit.band(byte, bit.rshift(128, offset)) ~= 0 do
    offset = offset + 1
  end
  return offset
end

-- Returns the number within a chunk of the first slot that is free, from a byte on; nil if none is.
function pools.freeIn(chunk, at)
  at = find(chunk, '[^\255]', at) or max(at, #chunk + 1)
  if at > CHUNK_BYTES then
    return nil
  end
  return (at - 1) * 8 + pools.freeBit(byteAt(chunk, at) or 0)
end

-- The same, without the slots that two other bitmaps mark.
function pools.freeUnmarkedIn(chunk, one, other, at)
  at = find(chunk, '[^\255]', at) or max(at, #chunk + 1)
  for i = at, CHUNK_BYTES do
    local taken = union(byteAt(chunk, i) or 0, byteAt(one, i) or 0, byteAt(other, i) or 0)
    if taken < 255 then
      return (i - 1) * 8 + pools.freeBit(taken)
    end
  end
end

-- Adds the fields of the changed pools and chunks to those to set and to delete.
function pools.addChanges(set, del)
  for name, pool in pairs(known) do
    if pool.held == 0 then
      if pool.stored > 0 then
        del[#del + 1] = name
      end
    elseif pool.held ~= pool.stored or pool.isChanged then
      set[#set + 1] = name
      set[#set + 1] = values.packPool(pool)
    end
  end
  for field in pairs(changed) do
    local chunk = pools.trimmed(chunks[field])
    if chunk == '' then
      del[#del + 1] = field
    else
      set[#set + 1] = field
      set[#set + 1] = chunk
    end
  end
end

function pools.begin()
  -- Without a pool or the name of a slot, the empty tables of the call before serve again.
  if not names or next(names) or next(known) then
    names, slotNumbers, known, chunks, changed = {}, {}, {}, {}, {}
  end
end

return pools
