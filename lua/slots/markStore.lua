-- The hashes `conditions` and `clean` (slots/marks.lua), as this call sees and changes them. A field that is not there
-- is ''.
local bytes = require('limits/bytes')
local keys = require('frame/keys')
local pools = require('slots/pools')
local work = require('frame/work')
local markStore = {}
local floor = math.floor
-- The bitmaps: the hash, and what stands between the name and the number of the chunk.
markStore.OUT, markStore.DIRTY = { hash = 'conditions', mark = '\1' }, { hash = 'conditions', mark = '\2' }
markStore.CLEAN = { hash = 'clean', mark = '\1' }
-- values[hash][field]: what was read. changed[hash][field]: true if it was changed.
local values, changed

-- Reads fields of a hash that were not read yet.
function markStore.read(hash, fields)
  local missing, found = {}, values[hash]
  for _, field in ipairs(fields) do
    if not found[field] then
      found[field] = ''
      missing[#missing + 1] = field
    end
  end
  for from = 1, #missing, 1000 do
    local last = math.min(from + 999, #missing)
    work.spend(1 + (last - from + 1) / 2)
    for i, value in ipairs(redis.call('HMGET', keys[hash], unpack(missing, from, last))) do
      found[missing[from + i - 1]] = value or ''
    end
  end
end

-- Reads two or three fields. Returns the value of the first.
function markStore.readTogether(hash, first, second, third)
  local found = values[hash]
  local got
  work.spend(2)
  if third then
    got = redis.call('HMGET', keys[hash], first, second, third)
    found[third] = found[third] or got[3] or ''
  else
    got = redis.call('HMGET', keys[hash], first, second)
  end
  found[first], found[second] = found[first] or got[1] or '', found[second] or got[2] or ''
  return found[first]
end

-- Returns the value of a field. Reads it if it was not.
function markStore.at(hash, field)
  local value = values[hash][field]
  if not value then
    work.spend(1.5)
    value = redis.call('HGET', keys[hash], field) or ''
    values[hash][field] = value
  end
  return value
end

-- Replaces the value of a field. If it was not read, it is taken for another one.
function markStore.put(hash, field, value)
  if values[hash][field] ~= value then
    values[hash][field], changed[hash][field] = value, true
  end
end

-- Returns the field of a chunk. Most requests need that of one chunk, several times.
function markStore.fieldOf(plane, name, chunk)
  if plane.name ~= name or plane.chunk ~= chunk then
    plane.name, plane.chunk, plane.field = name, chunk, name .. plane.mark .. chunk
  end
  return plane.field
end

-- Returns the bytes of a chunk of a bitmap; zero bytes at its end may be missing.
function markStore.chunkAt(plane, name, chunk)
  return markStore.at(plane.hash, markStore.fieldOf(plane, name, chunk))
end

function markStore.isMarked(plane, name, slotNumber)
  return pools.isMarked(markStore.chunkAt(plane, name, floor(slotNumber / pools.CHUNK_SLOTS)), slotNumber)
end

function markStore.setMark(plane, name, slotNumber, isSet)
  local chunk = floor(slotNumber / pools.CHUNK_SLOTS)
  local bits = pools.marked(markStore.chunkAt(plane, name, chunk), slotNumber, isSet)
  markStore.put(plane.hash, markStore.fieldOf(plane, name, chunk), pools.trimmed(bits))
end

-- Returns true if this call has changed anything.
function markStore.isAnyChanged()
  return next(changed.conditions) ~= nil or next(changed.clean) ~= nil
end

-- Writes all changes.
function markStore.write()
  for hash, fields in pairs(changed) do
    local set, del = {}, {}
    for field in pairs(fields) do
      local value = values[hash][field]
      if value == '' then
        del[#del + 1] = field
      else
        set[#set + 1] = field
        set[#set + 1] = value
      end
    end
    bytes.callWith('HDEL', keys[hash], del)
    bytes.callWith('HSET', keys[hash], set)
  end
end

function markStore.begin()
  if not values or next(values.conditions) or next(values.clean) then
    values, changed = { conditions = {}, clean = {} }, { conditions = {}, clean = {} }
  end
end

return markStore
