--@rare
-- Finds the lowest free slot of a pool, which the next reservation gets.
--@include pools

-- Returns the lowest free index of a pool from `from` on, below its capacity; nil if none is free.
local function freeFrom(name, capacity, from)
  local lastChunk = math.floor((capacity - 1) / CHUNK_SLOTS)
  local ahead = 1
  local at = math.floor(from % CHUNK_SLOTS / 8) + 1
  for chunk = math.floor(from / CHUNK_SLOTS), lastChunk do
    if not chunks[chunkField(name, chunk)] then
      -- One chunk is usually enough. If it is full, more may be: read 32 at a time.
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

-- Returns the lowest free index of a pool of this capacity; nil if none is free.
local function lowestFree(name, capacity)
  local pool = poolOf(name)
  local index = freeFrom(name, capacity, pool.from)
  if not index and pool.from > 0 then
    -- The release of a slot that stayed a plain resource (define.lua) does not lower pool.from.
    index = freeFrom(name, capacity, 0)
  end
  pool.from = index or pool.from
  return index
end
