-- Names of slots: the slots of a pool are <pool>_0, <pool>_1 and so on.
local keys = require('frame/keys')
local work = require('frame/work')
local pools = {}

-- Splits 'pool_12' into 'pool', 12. Returns nil if the name cannot be that of a slot: no number at its end, a leading
-- zero, or more than six digits, which no capacity has (MAX_CAPACITY in src/config/config.ts).
function pools.slotIndex(slot)
  local known = pools.poolNames[slot]
  if known == nil then
    local last, pool, index = string.byte(slot, -1), nil, nil
    if last >= 48 and last <= 57 then
      pool, index = string.match(slot, '^(.+)_(%d+)$')
    end
    known = pool and #index < 7 and (index == '0' or string.byte(index) ~= 48) and pool or false
    pools.poolNames[slot], pools.poolIndexes[slot] = known, tonumber(index)
  end
  if known then
    return known, pools.poolIndexes[slot]
  end
end

-- The tenant's pools, as this script sees and changes them. Besides bitmaps (slots/pools.lua), the pools hash has
--   <pool>           held and from, packed; absent if no slot of it is held
--   <pool>\n<owner>  the slot that the owner was assigned
-- pools[pool] is a table:
--   held      number of its slots that are held
--   stored    the stored value of held
--   from      no slot below this index is free
--   assigned  owner -> slot, false for none, nil if it was not read
--   isChanged true if commit() must write the pool even if held has not changed

pools.POOL = '>I4I4'

function pools.poolOf(name)
  local pool = pools.pools[name]
  if not pool then
    work.spend(2)
    local held, from = 0, 0
    local packed = redis.call('HGET', keys.pools, name)
    if packed then
      held, from = struct.unpack(pools.POOL, packed)
    end
    pool = { held = held, from = from, stored = held, assigned = {} }
    pools.pools[name] = pool
  end
  return pool
end

-- Adds a slot to the held slots of its pool (change 1) or removes it (-1). Takes the slot's record.
function pools.account(slot, record, change)
  local pool = pools.poolOf(record.pool)
  local _, index = pools.slotIndex(slot)
  pool.held = pool.held + change
  pools.markSlot(record.pool, index, change == 1)
  if change == -1 then
    pool.from = math.min(pool.from, index)
  end
  if not record.byName then
    pool.assigned[record.owner] = change == 1 and slot
  end
end

-- Bitmaps of the slots <name>_<i> that are held, as slots of a pool or as plain resources. The pools hash stores them
-- in chunks of 512 slots, in fields <name>\1<chunk>. Zero bytes at the end of a chunk are left out; an empty chunk has
-- no field.
--   chunks[field]  the bytes of a chunk, 64 numbers
--   dirtyChunks    the fields that this script changed, in order; commit() writes them

pools.CHUNK_SLOTS, pools.CHUNK_BYTES = 512, 64
local isDirty

function pools.chunkField(name, chunk)
  return name .. '\1' .. chunk
end

-- Reads chunks that were not read yet. Takes an array of fields.
function pools.readChunks(fields)
  local missing = {}
  for _, field in ipairs(fields) do
    if not pools.chunks[field] then
      pools.chunks[field] = true
      missing[#missing + 1] = field
    end
  end
  for from = 1, #missing, 1000 do
    work.spend(2 * math.min(1000, #missing))
    local found = redis.call('HMGET', keys.pools, unpack(missing, from, math.min(from + 999, #missing)))
    for i, packed in ipairs(found) do
      local bytes = { string.byte(packed or '', 1, -1) }
      for at = #bytes + 1, pools.CHUNK_BYTES do
        bytes[at] = 0
      end
      pools.chunks[missing[from + i - 1]] = bytes
    end
  end
end

-- Marks slot <name>_<index> as held or free.
function pools.markSlot(name, index, isHeld)
  local field = pools.chunkField(name, math.floor(index / pools.CHUNK_SLOTS))
  if not pools.chunks[field] then
    pools.readChunks({ field })
  end
  local bytes = pools.chunks[field]
  local at = math.floor(index % pools.CHUNK_SLOTS / 8) + 1
  local mask = bit.rshift(128, index % 8)
  local byte = isHeld and bit.bor(bytes[at], mask) or bit.band(bytes[at], 255 - mask)
  if byte ~= bytes[at] then
    bytes[at] = byte
    if not isDirty[field] then
      isDirty[field] = true
      pools.dirtyChunks[#pools.dirtyChunks + 1] = field
    end
  end
end

function pools.begin()
  pools.poolNames, pools.poolIndexes = {}, {}
  pools.pools = {}
  pools.chunks, pools.dirtyChunks, isDirty = {}, {}, {}
end

return pools
