-- Finds the lowest free slot of a pool, which the next reservation gets.
local pools = require('slots/pools')
local slotMap = require('slots/slots')
local work = require('frame/work')
local freeSlots = {}

-- Returns the lowest free index of a pool from `from` on, below its capacity; nil if none is free.
function freeSlots.freeFrom(name, capacity, from)
  local lastChunk = math.floor((capacity - 1) / pools.CHUNK_SLOTS)
  local ahead = 1
  local at = math.floor(from % pools.CHUNK_SLOTS / 8) + 1
  for chunk = math.floor(from / pools.CHUNK_SLOTS), lastChunk do
    if not pools.chunks[pools.chunkField(name, chunk)] then
      -- One chunk is usually enough. If it is full, more may be: read 32 at a time.
      local fields = {}
      for one = chunk, math.min(chunk + ahead - 1, lastChunk) do
        fields[#fields + 1] = pools.chunkField(name, one)
      end
      pools.readChunks(fields)
      ahead = 32
    end
    local bytes = pools.chunks[pools.chunkField(name, chunk)]
    while at <= pools.CHUNK_BYTES and bytes[at] == 255 do
      at = at + 1
    end
    if at <= pools.CHUNK_BYTES then
      local byte, offset = bytes[at], 0
      while bit.band(byte, bit.rshift(128, offset)) ~= 0 do
        offset = offset + 1
      end
      local index = chunk * pools.CHUNK_SLOTS + (at - 1) * 8 + offset
      return index < capacity and index or nil
    end
    work.spend(1)
    at = 1
  end
end

-- Returns the lowest free index of a pool of this capacity; nil if none is free.
function freeSlots.lowestFree(name, capacity)
  local pool = pools.poolOf(name)
  local index = freeSlots.freeFrom(name, capacity, pool.from)
  if not index and pool.from > 0 then
    -- The release of a slot that stayed a plain resource (definitions/redefine.lua) does not lower pool.from.
    index = freeSlots.freeFrom(name, capacity, 0)
  end
  pool.from = index or pool.from
  return index
end

-- Counts the held slots of resources.

-- Returns the number of held slots of a resource, including slots that are still held from an earlier capacity.
function freeSlots.heldOf(name)
  return pools.poolOf(name).held + (slotMap.recordAt(name) and 1 or 0)
end

return freeSlots
