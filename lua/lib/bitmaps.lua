--@rare
-- Bitmaps of the slots <name>_<i> that are held, as slots of a pool or as plain resources. The pools hash stores them
-- in chunks of 512 slots, in fields <name>\1<chunk>. Zero bytes at the end of a chunk are left out; an empty chunk has
-- no field.
--   chunks[field]  the bytes of a chunk, 64 numbers
--   dirtyChunks    the fields that this script changed, in order; commit() writes them
--@include work
local CHUNK_SLOTS, CHUNK_BYTES = 512, 64
local chunks, dirtyChunks, isDirty = {}, {}, {}

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
      local bytes = { string.byte(packed or '', 1, -1) }
      for at = #bytes + 1, CHUNK_BYTES do
        bytes[at] = 0
      end
      chunks[missing[from + i - 1]] = bytes
    end
  end
end

-- Marks slot <name>_<index> as held or free.
local function markSlot(name, index, isHeld)
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
