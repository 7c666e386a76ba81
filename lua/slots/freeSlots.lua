-- Finds the lowest free slot of a pool, which the next reservation gets, and counts the slots that are held.
local pools = require('slots/pools')
local slotMap = require('slots/slots')
local work = require('frame/work')
local freeSlots = {}

-- Reads a chunk and those after it, at once: one chunk is usually enough, but if that is full, more may be.
local function readAhead(name, chunk, lastChunk)
  local AHEAD = 32
  local fields = {}
  for one = chunk, math.min(chunk + AHEAD - 1, lastChunk) do
    fields[#fields + 1] = pools.chunkField(name, one)
  end
  pools.readChunks(fields)
end

-- Returns the lowest free number of a pool from `from` on, below its capacity; nil if none is free. It may lie up to
-- seven slots before `from`.
function freeSlots.freeFrom(name, capacity, from)
  local lastChunk = math.floor((capacity - 1) / pools.CHUNK_SLOTS)
  local isReadingAhead = false
  local at = math.floor(from % pools.CHUNK_SLOTS / 8) + 1
  for chunk = math.floor(from / pools.CHUNK_SLOTS), lastChunk do
    local field = pools.chunkField(name, chunk)
    if not pools.isChunkRead(field) then
      if isReadingAhead then
        readAhead(name, chunk, lastChunk)
      end
      isReadingAhead = true
    end
    local free = pools.freeIn(pools.chunkAt(field), at)
    if free then
      local slotNumber = chunk * pools.CHUNK_SLOTS + free
      return slotNumber < capacity and slotNumber or nil
    end
    work.spend(1)
    at = 1
  end
end

-- Returns the lowest free number of a pool of this capacity; nil if none is free.
function freeSlots.lowestFree(name, capacity)
  local pool = pools.poolOf(name)
  local slotNumber = freeSlots.freeFrom(name, capacity, pool.from)
  if not slotNumber and pool.from > 0 then
    -- The release of a slot that stayed a plain resource (definitions/redefine.lua) does not lower pool.from.
    slotNumber = freeSlots.freeFrom(name, capacity, 0)
  end
  pool.from = slotNumber or pool.from
  return slotNumber
end

-- Returns the number of held slots of a resource, including slots that are still held from an earlier capacity.
function freeSlots.heldOf(name)
  return pools.poolOf(name).held + (slotMap.recordAt(name) and 1 or 0)
end

return freeSlots
