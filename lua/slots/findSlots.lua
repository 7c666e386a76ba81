-- Finds slots by their condition (slots/marks.lua): the lowest free one, which the next reservation gets, and the first
-- ones.
local freeSlots = require('slots/freeSlots')
local marks = require('slots/marks')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local work = require('frame/work')
local finding = {}
local byteAt, floor = string.byte, math.floor
-- Chunks that are read at once.
local AHEAD = 32

-- Returns a byte of a chunk: of its slots, those are marked that are held, or do not have a condition. Takes the bitmap
-- of the held ones, and what marks.bitmapsFor() returns.
local function takenIn(held, at, without, unlike, only)
  local taken = bit.bor(byteAt(held, at) or 0, byteAt(without, at) or 0, byteAt(unlike, at) or 0)
  return only and bit.bor(taken, 255 - (byteAt(only, at) or 0)) or taken
end

-- Returns the number within a chunk of the first slot that is free and has a condition, from a byte on; nil if none is.
local function freeIn(resource, one, chunk, condition, at)
  local held = pools.chunkAt(pools.chunkField(resource, chunk))
  local without, unlike, only = marks.bitmapsFor(resource, one, chunk, condition)
  if not only and without == '' and unlike == '' then
    return pools.freeIn(held, at)
  end
  local last = only and #only or pools.CHUNK_BYTES
  work.spend(last > at and (last - at) / 6 or 0)
  if not only then
    return pools.freeUnmarkedIn(held, without, unlike, at)
  end
  for i = at, last do
    local taken = takenIn(held, i, without, unlike, only)
    if taken < 255 then
      return (i - 1) * 8 + pools.freeBit(taken)
    end
  end
end

-- Reads chunks of a resource, at once.
local function readAhead(resource, first, last)
  local fields = {}
  for chunk = first, last do
    fields[#fields + 1] = pools.chunkField(resource, chunk)
  end
  pools.readChunks(fields)
  marks.readChunks(resource, first, last)
end

-- Returns as lowestFree(), for a resource with conditions. Takes its definition.
local function walk(resource, one, condition, from)
  local first, last = floor(from / pools.CHUNK_SLOTS), floor((one.capacity - 1) / pools.CHUNK_SLOTS)
  local at = floor(from % pools.CHUNK_SLOTS / 8) + 1
  local readTo = first
  for chunk = first, last do
    if chunk > readTo then
      readTo = math.min(chunk + AHEAD - 1, last)
      readAhead(resource, chunk, readTo)
    end
    local free = freeIn(resource, one, chunk, condition, at)
    if free then
      local slotNumber = chunk * pools.CHUNK_SLOTS + free
      return slotNumber < one.capacity and slotNumber or nil
    end
    work.spend(1)
    at = 1
  end
end

-- Returns the lowest number from `from` on, below the capacity, of a slot that is free and has a condition; nil if none
-- is. It may lie up to seven slots before `from`.
local function lowestFree(resource, capacity, condition, from)
  local one = registry.definition(resource)
  if one and one.hasConditions then
    return walk(resource, one, condition, from)
  end
  return condition == 'ready' and freeSlots.freeFrom(resource, capacity, from) or nil
end

-- Returns as lowestFree(), but only numbers from `from` on.
function finding.freeFrom(resource, capacity, condition, from)
  local offset, one = from % 8, registry.definition(resource)
  if offset > 0 and from < capacity and (one.hasConditions or condition == 'ready') then
    local chunk = floor(from / pools.CHUNK_SLOTS)
    local held, at = pools.chunkAt(pools.chunkField(resource, chunk)), floor(from % pools.CHUNK_SLOTS / 8) + 1
    local taken = one.hasConditions and takenIn(held, at, marks.bitmapsFor(resource, one, chunk, condition)) or
      byteAt(held, at) or 0
    taken = bit.bor(taken, 255 - bit.rshift(255, offset))
    from = from - offset + (taken < 255 and pools.freeBit(taken) or 8)
    if taken < 255 then
      return from < capacity and from or nil
    end
  end
  return from < capacity and lowestFree(resource, capacity, condition, from) or nil
end

-- The fields of a pool (slots/pools.lua) with the numbers below which no slot is free and has a condition.
local FROM = { ready = 'from', dirty = 'fromDirty', out = 'fromOut' }

-- Returns the lowest free number of a pool for a request for a condition; nil if none is free.
function finding.nextFree(pool, capacity, condition)
  local one = registry.definition(pool)
  if not one or not one.hasConditions then
    return condition == 'ready' and freeSlots.lowestFree(pool, capacity) or nil
  end
  local known, field = pools.poolOf(pool), FROM[condition]
  local slotNumber = walk(pool, one, condition, known[field])
  if not slotNumber and known[field] > 0 then
    -- As in lowestFree() of slots/freeSlots.lua.
    slotNumber = walk(pool, one, condition, 0)
  end
  known[field] = slotNumber or known[field]
  return slotNumber
end

-- Adds the numbers of the slots that a byte marks, below the capacity, until there are `limit`.
local function addBits(found, byte, first, capacity, limit)
  for offset = 0, 7 do
    local isMarked = bit.band(byte, bit.rshift(128, offset)) ~= 0
    if isMarked and first + offset < capacity and #found < limit then
      found[#found + 1] = first + offset
    end
  end
end

-- Adds the slots of a chunk that have a condition.
local function addFrom(found, resource, chunk, condition, limit)
  local one = registry.definition(resource)
  local without, unlike, only = marks.bitmapsFor(resource, one, chunk, condition)
  local last = only and #only or pools.CHUNK_BYTES
  work.spend(last / 6)
  for i = 1, last do
    local byte = only and byteAt(only, i) or 255 - bit.bor(byteAt(without, i) or 0, byteAt(unlike, i) or 0)
    if byte > 0 then
      addBits(found, byte, chunk * pools.CHUNK_SLOTS + (i - 1) * 8, one.capacity, limit)
    end
    if #found >= limit then
      return
    end
  end
end

-- Returns the numbers of the first slots of a resource that have a condition, held or not, `limit` at most.
function finding.firstOf(resource, capacity, condition, limit)
  local found, last, readTo = {}, floor((capacity - 1) / pools.CHUNK_SLOTS), -1
  local isAny = marks.areAny(resource) and marks.countOf(resource, capacity, condition) > 0
  for chunk = 0, isAny and last or -1 do
    if chunk > readTo then
      readTo = math.min(chunk + AHEAD - 1, last)
      marks.readChunks(resource, chunk, readTo)
    end
    addFrom(found, resource, chunk, condition, limit)
    if #found >= limit then
      break
    end
  end
  return found
end

return finding
