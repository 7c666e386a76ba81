-- Which slots of pools are taken. One hash for all pools of the tenant holds
--   <pool>             held and from, packed: how many of its slots are held, and an index below which none is free;
--                      absent if none is held
--   <name>\1<chunk>    bitmap of 512 slots <name>_<i> that are held, as slots of a pool or as plain resources; zero
--                      bytes at its end are left
--                      out, and so is an empty chunk
--   <pool>\n<owner>    the slot that the owner was assigned
-- Scripts work on these tables, and write what has changed at the end (commit.lua):
--   pools[pool]   held, from, stored (held as it was read), assigned (owner → slot, false for none)
--   chunks[field] bytes of a chunk, 64 numbers; dirtyChunks lists the fields that were changed
--@include work
local SUMMARY = '>I4I4'
local CHUNK_SLOTS, CHUNK_BYTES = 512, 64
local pools, chunks, dirtyChunks, isDirty = {}, {}, {}, {}

-- Splits 'pool_12' into 'pool', 12; nil if the name is not that of a slot: no number at its end, one with a leading
-- zero, or one of more than six digits, as no capacity has (MAX_CAPACITY in src/config/config.ts).
local poolNames, poolIndexes = {}, {}
local function slotIndex(slot)
  local known = poolNames[slot]
  if known == nil then
    local last, pool, index = string.byte(slot, -1), nil, nil
    if last >= 48 and last <= 57 then
      pool, index = string.match(slot, '^(.+)_(%d+)$')
    end
    known = pool and #index < 7 and (index == '0' or string.byte(index) ~= 48) and pool or false
    poolNames[slot], poolIndexes[slot] = known, tonumber(index)
  end
  if known then
    return known, poolIndexes[slot]
  end
end

local function poolOf(name)
  local pool = pools[name]
  if not pool then
    spend(2)
    local held, from = 0, 0
    local packed = redis.call('HGET', poolsKey, name)
    if packed then
      held, from = struct.unpack(SUMMARY, packed)
    end
    pool = { held = held, from = from, stored = held, assigned = {} }
    pools[name] = pool
  end
  return pool
end

local function toBytes(packed)
  local bytes = { string.byte(packed or '', 1, -1) }
  for i = #bytes + 1, CHUNK_BYTES do
    bytes[i] = 0
  end
  return bytes
end

local function chunkField(name, chunk)
  return name .. '\1' .. chunk
end

-- Reads chunks that were not read yet. Takes an array of fields.
local function readChunks(fields)
  local missing = {}
  for _, field in ipairs(fields) do
    if not chunks[field] then
      chunks[field] = true
      missing[#missing + 1] = field
    end
  end
  for from = 1, #missing, 1000 do
    spend(2 * math.min(1000, #missing))
    local found = redis.call('HMGET', poolsKey, unpack(missing, from, math.min(from + 999, #missing)))
    for i, packed in ipairs(found) do
      chunks[missing[from + i - 1]] = toBytes(packed)
    end
  end
end

-- Notes that a slot is held or free.
local function flip(name, index, isHeld)
  local field = chunkField(name, math.floor(index / CHUNK_SLOTS))
  if not chunks[field] then
    readChunks({ field })
  end
  local bytes = chunks[field]
  local at = math.floor(index % CHUNK_SLOTS / 8) + 1
  local mask = bit.rshift(128, index % 8)
  local byte = isHeld and bit.bor(bytes[at], mask) or bit.band(bytes[at], 255 - mask)
  if byte ~= bytes[at] then
    bytes[at] = byte
    if not isDirty[field] then
      isDirty[field] = true
      dirtyChunks[#dirtyChunks + 1] = field
    end
  end
end

-- The lowest free index of a pool from one on, below its capacity; nil if none is.
local function freeFrom(name, capacity, from)
  local lastChunk = math.floor((capacity - 1) / CHUNK_SLOTS)
  local ahead = 1
  local at = math.floor(from % CHUNK_SLOTS / 8) + 1
  for chunk = math.floor(from / CHUNK_SLOTS), lastChunk do
    if not chunks[chunkField(name, chunk)] then
      -- One chunk is enough as a rule; if it is full, there may be many.
      local fields = {}
      for one = chunk, math.min(chunk + ahead - 1, lastChunk) do
        fields[#fields + 1] = chunkField(name, one)
      end
      readChunks(fields)
      ahead = 32
    end
    local bytes = chunks[chunkField(name, chunk)]
    while at <= CHUNK_BYTES and bytes[at] == 255 do
      at = at + 1
    end
    if at <= CHUNK_BYTES then
      local byte, offset = bytes[at], 0
      while bit.band(byte, bit.rshift(128, offset)) ~= 0 do
        offset = offset + 1
      end
      local index = chunk * CHUNK_SLOTS + (at - 1) * 8 + offset
      return index < capacity and index or nil
    end
    spend(1)
    at = 1
  end
end

-- The lowest index that is free; nil if none is. Takes the pool's name and capacity.
local function lowestFree(name, capacity)
  local pool = poolOf(name)
  local index = freeFrom(name, capacity, pool.from)
  if not index and pool.from > 0 then
    -- A slot that is held as a plain resource, since it was not adopted (redefine.lua), is freed without the pool's
    -- notice.
    index = freeFrom(name, capacity, 0)
  end
  pool.from = index or pool.from
  return index
end

-- Counts a slot of a pool in (1) or out (-1). Takes its record.
local function account(slot, record, change)
  local pool = poolOf(record.pool)
  local _, index = slotIndex(slot)
  pool.held = pool.held + change
  flip(record.pool, index, change == 1)
  if change == -1 then
    pool.from = math.min(pool.from, index)
  end
  if not record.byName then
    pool.assigned[record.owner] = change == 1 and slot
  end
end
