-- The plain way of a request for a slot of a pool of which some slots may not be ready (lua/slots/marks.lua). Pools
-- whose slots are dirty after use go the general way. Fields: out, dirty, the bitmaps of the chunk that was read last:
-- its slots that are out of service, and dirty.
local marks = require('slots/marks')
local pools = require('slots/pools')
local store = require('slots/markStore')
local conditions = {}
local COUNTS, unpackCounts = marks.COUNTS, struct.unpack
-- The chunk that was read last, and the fields that have its bitmaps.
local lastPool, lastChunk, outField, dirtyField

-- Reads which slots of a chunk are not ready. Takes the key of the hash, the pool, and the number of the chunk. Returns
-- how many slots of the pool are out of service, and how many are dirty.
function conditions.read(key, pool, chunk)
  if pool ~= lastPool or chunk ~= lastChunk then
    lastPool, lastChunk = pool, chunk
    outField, dirtyField = store.fieldOf(store.OUT, pool, chunk), store.fieldOf(store.DIRTY, pool, chunk)
  end
  local found = redis.call('HMGET', key, pool, outField, dirtyField)
  conditions.out, conditions.dirty = found[2] or '', found[3] or ''
  if found[1] then
    return unpackCounts(COUNTS, found[1])
  end
  return 0, 0
end

-- Returns true if a slot of that chunk is ready. Takes its number in the pool.
function conditions.isReady(slotNumber)
  return not pools.isMarked(conditions.out, slotNumber) and not pools.isMarked(conditions.dirty, slotNumber)
end

return conditions
