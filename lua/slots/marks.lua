-- Which slots of registered resources are ready, dirty or out of service (docs/specification.md#condition), as this
-- call sees and changes it. slots/conditions.lua has what other modules use. A resource of which all slots are ready,
-- and stay so after use, has nothing here: its definition has no flag hasConditions, and reading costs nothing.
--
-- The hash `conditions`, which a reset leaves alone, has
--   <name>             how many slots are out of service, and how many were set dirty although they are ready after
--                      use, packed; absent if none is
--   <name>\1<chunk>    a bitmap of those that are out of service, as in slots/pools.lua
--   <name>\2<chunk>    a bitmap of those that were set dirty
--   \4                 us of the last change of what is out of service
--   \3<slot>           of such a slot: since when, in ms, a line break, who set it ('' the service), a line break, and
--                      the reason
-- The hash `clean`, which a reset deletes, is of resources whose slots are dirty after use. It has
--   <name>             how many slots are ready, and how many are out of service, packed; absent if none is ready: then
--                      all are dirty that are not out of service
--   <name>\1<chunk>    a bitmap of those that are ready
--   \3<slot>           of a slot that is dirty, as above; absent if nobody knows
-- A resource with one slot has it as number 0.
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local store = require('slots/markStore')
local work = require('frame/work')
local marks = {}
local COUNTS = '>I4I4'
marks.COUNTS = COUNTS
-- The field of `conditions` that tells its changes apart.
marks.VERSION = '\4'
local OUT, DIRTY, CLEAN = store.OUT, store.DIRTY, store.CLEAN
local fieldOf, chunkAt, isMarked, setMark = store.fieldOf, store.chunkAt, store.isMarked, store.setMark
-- known[name]: how many slots of a resource are out, dirty (set so) and clean; wasOut, wasDirty and wasClean as stored.
local known

-- Reads the counts of a resource, and the first bitmaps of a pool.
local function readCounts(name, one)
  local out, dirty, clean, isPool = 0, 0, 0, one.capacity > 1
  local packed
  if one.isDirtied then
    packed = isPool and store.readTogether('clean', name, fieldOf(CLEAN, name, 0)) or store.at('clean', name)
    if packed ~= '' then
      clean, out = struct.unpack(COUNTS, packed)
      return out, dirty, clean
    end
    packed = store.at('conditions', name)
  else
    packed = isPool and store.readTogether('conditions', name, fieldOf(OUT, name, 0), fieldOf(DIRTY, name, 0)) or
      store.at('conditions', name)
  end
  if packed ~= '' then
    out, dirty = struct.unpack(COUNTS, packed)
  end
  return out, dirty, clean
end

-- Returns the counts of a resource that has conditions, a table.
local function countsOf(name, one)
  local counts = known[name]
  if not counts then
    local out, dirty, clean = readCounts(name, one)
    counts = { out = out, dirty = dirty, clean = clean, wasOut = out, wasDirty = dirty, wasClean = clean }
    known[name] = counts
  end
  return counts
end

-- Reads the counts of some resources at once.
function marks.readCounts(names)
  local some, dirtied = {}, {}
  for _, name in ipairs(names) do
    local one = registry.definition(name)
    if one and one.hasConditions and not known[name] then
      some[#some + 1] = name
      dirtied[#dirtied + 1] = one.isDirtied and name or nil
    end
  end
  store.read('conditions', some)
  store.read('clean', dirtied)
end

-- Returns true if some slots of a resource may not be ready.
function marks.areAny(name)
  local one = registry.definition(name)
  return one and one.hasConditions or false
end

-- Returns how many slots of a resource with conditions have one, held or not. Takes its definition.
function marks.countIn(name, one, condition)
  local counts, capacity = countsOf(name, one), one.capacity
  if condition == 'out' then
    return counts.out
  elseif one.isDirtied then
    return condition == 'ready' and counts.clean or capacity - counts.out - counts.clean
  end
  return condition == 'ready' and capacity - counts.out - counts.dirty or counts.dirty
end

-- The same for any resource.
function marks.countOf(name, capacity, condition)
  local one = registry.definition(name)
  if one and one.hasConditions then
    return marks.countIn(name, one, condition)
  end
  return condition == 'ready' and capacity or 0
end

-- Returns true if a resource has so many slots marked that a slot may be one, and it is.
local function has(plane, count, name, slotNumber, capacity)
  return count > 0 and (count == capacity or isMarked(plane, name, slotNumber))
end

-- Returns the condition of a slot by its number.
function marks.conditionOf(name, slotNumber)
  local one = registry.definition(name)
  if not one or not one.hasConditions or slotNumber >= one.capacity then
    return 'ready'
  end
  local counts, capacity = countsOf(name, one), one.capacity
  if has(OUT, counts.out, name, slotNumber, capacity) then
    return 'out'
  elseif one.isDirtied then
    return has(CLEAN, counts.clean, name, slotNumber, capacity) and 'ready' or 'dirty'
  end
  return has(DIRTY, counts.dirty, name, slotNumber, capacity) and 'dirty' or 'ready'
end

-- Adds a change of a condition to the number of held slots that have it.
local function countHeld(pool, condition, change)
  if condition == 'out' then
    pool.heldOut, pool.isChanged = pool.heldOut + change, true
  elseif condition == 'dirty' then
    pool.heldDirty, pool.isChanged = pool.heldDirty + change, true
  end
end

-- Counts a slot of a pool that becomes held (1) or free (-1).
function marks.account(name, slot, change)
  local one = registry.definition(name)
  if one and one.hasConditions then
    local _, slotNumber = pools.slotNumber(slot)
    pools.poolOf(name).isLong = one.isDirtied
    if slotNumber < one.capacity and one.capacity > 1 then
      countHeld(pools.poolOf(name), marks.conditionOf(name, slotNumber), change)
    end
  end
end

-- Marks that a slot has a condition, or no longer has it, in the bitmap that tells, if one does.
local function markCondition(name, slotNumber, condition, isDirtied, isSet)
  local plane, count
  if condition == 'out' then
    plane, count = OUT, 'out'
  elseif isDirtied and condition == 'ready' then
    plane, count = CLEAN, 'clean'
  elseif not isDirtied and condition == 'dirty' then
    plane, count = DIRTY, 'dirty'
  end
  if plane then
    setMark(plane, name, slotNumber, isSet)
    known[name][count] = known[name][count] + (isSet and 1 or -1)
  end
end

-- Changes the condition of a slot. Takes whether its pool holds it among its slots.
function marks.change(name, slotNumber, before, condition, isHeld)
  local one = registry.definition(name)
  countsOf(name, one)
  if before ~= condition then
    markCondition(name, slotNumber, before, one.isDirtied, false)
    markCondition(name, slotNumber, condition, one.isDirtied, true)
  end
  if one.capacity > 1 then
    local pool = pools.poolOf(name)
    if isHeld then
      countHeld(pool, before, -1)
      countHeld(pool, condition, 1)
    end
    pools.lower(pool, slotNumber)
    pool.isChanged, pool.isLong = true, one.isDirtied
  end
  work.spend(8)
end

-- Returns the hash that has the details of a slot in a condition.
local function hashOf(name, condition)
  return condition == 'dirty' and registry.definition(name).isDirtied and 'clean' or 'conditions'
end

-- Returns since when and by whom a slot is in a condition other than ready, and why, as a text; '' if nobody knows.
function marks.detailsOf(name, slot, condition)
  return store.at(hashOf(name, condition), '\3' .. slot)
end

-- Replaces the details of a slot, which was in a condition before.
function marks.putDetails(name, slot, before, condition, text)
  local field = '\3' .. slot
  if before ~= 'ready' then
    store.put(hashOf(name, before), field, '')
  end
  if condition ~= 'ready' then
    store.put(hashOf(name, condition), field, text)
  end
end

-- Reads chunks of the bitmaps that tell which slots of a resource have a condition.
function marks.readChunks(name, first, last)
  local isDirtied, fields, clean = registry.definition(name).isDirtied, {}, {}
  for chunk = first, last do
    fields[#fields + 1] = fieldOf(OUT, name, chunk)
    if isDirtied then
      clean[#clean + 1] = fieldOf(CLEAN, name, chunk)
    else
      fields[#fields + 1] = fieldOf(DIRTY, name, chunk)
    end
  end
  store.read('conditions', fields)
  store.read('clean', clean)
end

-- Returns the bitmaps of a chunk that tell which slots have a condition: the first two mark slots that do not have it.
-- If there is a third, the slots that it does not mark do not have it either.
function marks.bitmapsFor(name, one, chunk, condition)
  local counts = countsOf(name, one)
  if condition == 'out' then
    return '', '', chunkAt(OUT, name, chunk)
  elseif condition == (one.isDirtied and 'ready' or 'dirty') then
    return '', '', chunkAt(one.isDirtied and CLEAN or DIRTY, name, chunk)
  end
  local out = counts.out > 0 and chunkAt(OUT, name, chunk) or ''
  if one.isDirtied then
    return out, counts.clean > 0 and chunkAt(CLEAN, name, chunk) or '', nil
  end
  return out, counts.dirty > 0 and chunkAt(DIRTY, name, chunk) or '', nil
end

-- Functions for definitions/conditions.lua, which changes all bitmaps of a resource.

-- Reads all bitmaps of some chunks, whatever the definition says now.
function marks.readAll(name, first, last)
  local fields, clean = { name }, { name }
  for chunk = first, last do
    fields[#fields + 1] = fieldOf(OUT, name, chunk)
    fields[#fields + 1] = fieldOf(DIRTY, name, chunk)
    clean[#clean + 1] = fieldOf(CLEAN, name, chunk)
  end
  store.read('conditions', fields)
  store.read('clean', clean)
end

-- Returns the bitmaps of a chunk.
function marks.mapOf(name, chunk)
  return { out = chunkAt(OUT, name, chunk), dirty = chunkAt(DIRTY, name, chunk), clean = chunkAt(CLEAN, name, chunk) }
end

-- Replaces the bitmaps of a chunk.
function marks.putMap(name, chunk, map)
  store.put('conditions', fieldOf(OUT, name, chunk), map.out)
  store.put('conditions', fieldOf(DIRTY, name, chunk), map.dirty)
  store.put('clean', fieldOf(CLEAN, name, chunk), map.clean)
end

-- Replaces the counts of a resource: out, dirty, clean.
function marks.setCounts(name, counts)
  known[name] = counts
end

-- Writes all changes.
function marks.write()
  for name, counts in pairs(known) do
    local out, dirty, clean = counts.out, counts.dirty, counts.clean
    if out ~= counts.wasOut or dirty ~= counts.wasDirty then
      store.put('conditions', name, out + dirty > 0 and struct.pack(COUNTS, out, dirty) or '')
    end
    if clean ~= counts.wasClean or clean > 0 and out ~= counts.wasOut then
      store.put('clean', name, clean > 0 and struct.pack(COUNTS, clean, out) or '')
    end
  end
  store.write()
end

function marks.begin()
  if not known or next(known) then
    known = {}
  end
end

return marks
