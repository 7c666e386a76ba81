-- The conditions of slots (docs/specification.md#condition): ready, dirty, or out of service. slots/marks.lua keeps
-- them. A resource without the flag hasConditions has ready slots only, and asking for them costs nothing. Field:
-- changed, the changes of this call in order, each a table:
--   resource, slot      the slot's name; that of the resource if it has only one
--   before, condition   the condition before and after the change
--   reason, actor, since  of the condition after the change: nil none; nil the service; ms
--   wasText             the details of the condition before, as slots/marks.lua has them; '' none
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local freeSlots = require('slots/freeSlots')
local history = require('history/ended')
local keys = require('frame/keys')
local marks = require('slots/marks')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local store = require('slots/markStore')
local work = require('frame/work')
local conditions = {}
local byteAt, floor = string.byte, math.floor
local AHEAD = 32
-- touched[resource]: whether a resource whose conditions this call changes had the flag before.
local touched

-- Returns the number of a slot of a resource, nil if the resource has no such slot. Takes the slot's name; nil for the
-- only slot of a resource.
local function numberOf(resource, slot)
  local one = registry.definition(resource)
  if not one or one.isGroup then
    return nil
  elseif one.capacity == 1 then
    return (not slot or slot == resource) and 0 or nil
  end
  local pool, slotNumber = nil, nil
  if slot then
    pool, slotNumber = pools.slotNumber(slot)
  end
  return pool == resource and slotNumber < one.capacity and slotNumber or nil
end

-- Returns true if a resource has a slot of this name.
function conditions.isSlot(resource, slot)
  return numberOf(resource, slot) ~= nil
end

-- Returns true if some slots of a resource may not be ready.
function conditions.areAny(resource)
  local one = registry.definition(resource)
  return one and one.hasConditions or false
end

-- Returns the condition of a slot. Takes its name; nil for the only slot of a resource. What is no slot of a resource
-- is ready.
function conditions.at(resource, slot)
  local one = registry.definition(resource)
  local slotNumber = one and one.hasConditions and numberOf(resource, slot)
  return slotNumber and marks.conditionOf(resource, slotNumber) or 'ready'
end

conditions.countOf = marks.countOf

-- Returns how many slots of a resource are not out of service.
function conditions.inService(resource, capacity)
  return capacity - marks.countOf(resource, capacity, 'out')
end

-- Returns how many slots of a resource are free and have a condition. Slots that are held from an earlier capacity
-- count as taken from the ready ones.
function conditions.freeOf(resource, capacity, condition)
  if not conditions.areAny(resource) then
    return condition == 'ready' and math.max(0, capacity - freeSlots.heldOf(resource)) or 0
  end
  local isReady = condition == 'ready'
  if capacity == 1 then
    local isHeld = slotMap.recordAt(resource) or isReady and freeSlots.heldOf(resource) > 0
    return not isHeld and conditions.at(resource) == condition and 1 or 0
  end
  local pool, count = pools.poolOf(resource), marks.countOf(resource, capacity, condition)
  local held = isReady and freeSlots.heldOf(resource) - pool.heldOut - pool.heldDirty or
    condition == 'out' and pool.heldOut or pool.heldDirty
  return math.max(0, count - held)
end

-- Returns the number within a chunk of the first slot that is free and has a condition, from a byte on; nil if none is.
local function freeIn(resource, chunk, condition, at)
  local held = pools.chunkAt(pools.chunkField(resource, chunk))
  local without, unlike, only = marks.bitmapsFor(resource, chunk, condition)
  if without == '' and unlike == '' and not only then
    return pools.freeIn(held, at)
  end
  local last = only and #only or pools.CHUNK_BYTES
  work.spend(last > at and (last - at) / 6 or 0)
  for i = at, last do
    local taken = bit.bor(byteAt(held, i) or 0, byteAt(without, i) or 0, byteAt(unlike, i) or 0)
    if only then
      taken = bit.bor(taken, 255 - byteAt(only, i))
    end
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

-- Returns the lowest number from `from` on, below the capacity, of a slot that is free and has a condition; nil if none
-- is. It may lie up to seven slots before `from`.
function conditions.lowestFree(resource, capacity, condition, from)
  if not conditions.areAny(resource) then
    return condition == 'ready' and freeSlots.freeFrom(resource, capacity, from) or nil
  end
  local first, last = floor(from / pools.CHUNK_SLOTS), floor((capacity - 1) / pools.CHUNK_SLOTS)
  local at = floor(from % pools.CHUNK_SLOTS / 8) + 1
  local readTo = first
  for chunk = first, last do
    if chunk > readTo then
      readTo = math.min(chunk + AHEAD - 1, last)
      readAhead(resource, chunk, readTo)
    end
    local free = freeIn(resource, chunk, condition, at)
    if free then
      local slotNumber = chunk * pools.CHUNK_SLOTS + free
      return slotNumber < capacity and slotNumber or nil
    end
    work.spend(1)
    at = 1
  end
end

-- Returns the lowest free number of a pool for a request for a condition; nil if none is free.
function conditions.nextFree(pool, capacity, condition)
  if not conditions.areAny(pool) then
    return condition == 'ready' and freeSlots.lowestFree(pool, capacity) or nil
  end
  local known = pools.poolOf(pool)
  local from = condition == 'ready' and known.from or 0
  local slotNumber = conditions.lowestFree(pool, capacity, condition, from)
  if not slotNumber and from > 0 then
    slotNumber = conditions.lowestFree(pool, capacity, condition, 0)
  end
  if condition == 'ready' then
    known.from = slotNumber or known.from
  end
  return slotNumber
end

-- Returns the numbers of the first slots of a resource that have a condition, held or not, `limit` at most.
function conditions.firstOf(resource, capacity, condition, limit)
  local found = {}
  if marks.countOf(resource, capacity, condition) == 0 then
    return found
  end
  for slotNumber = 0, capacity - 1 do
    if slotNumber % pools.CHUNK_SLOTS == 0 and slotNumber > 0 then
      marks.readChunks(resource, floor(slotNumber / pools.CHUNK_SLOTS), floor(slotNumber / pools.CHUNK_SLOTS))
    end
    work.spend(0.5)
    if marks.conditionOf(resource, slotNumber) == condition then
      found[#found + 1] = slotNumber
      if #found >= limit then
        break
      end
    end
  end
  return found
end

-- Splits the details of a condition. Returns reason, ms and actor, each nil if there is none.
local function split(text)
  local ms, actor, reason = string.match(text, '^(%d*)\n([^\n]*)\n(.*)$')
  return reason ~= '' and reason or nil, tonumber(ms), actor ~= '' and actor or nil
end

-- Returns the condition of a slot; and of one that is not ready the reason, since when in ms, and who set it, each nil
-- if there is none.
function conditions.describe(resource, slot)
  local condition = conditions.at(resource, slot)
  if condition == 'ready' then
    return condition
  end
  return condition, split(marks.detailsOf(resource, slot or resource, condition))
end

-- Notes that the conditions of a resource are about to change.
local function touch(resource)
  local one = registry.definition(resource)
  if touched[resource] == nil then
    touched[resource] = one.hasConditions
    one.hasConditions = true
  end
end

-- Gives a slot a condition and details, which are a text as in slots/marks.lua.
local function assign(resource, slot, condition, text)
  local slotNumber, before = numberOf(resource, slot), conditions.at(resource, slot)
  local record = slotMap.recordAt(slot)
  marks.change(resource, slotNumber, condition, record and record.pool == resource)
  slotMap.arePoolsTouched = slotMap.arePoolsTouched or slot ~= resource
  marks.putDetails(resource, slot, before, condition, text)
end

-- Undoes a change: gives its slot the value that it had before. Called again, with the value after, it redoes that.
local function restore(change, before)
  local now = conditions.valueOf(change)
  slotMap.noteChange(change, now)
  assign(change.resource, change.slot, before.condition, before.text)
  local list = conditions.changed
  change.isUndone = not change.isUndone
  if not change.isUndone then
    list[#list + 1] = change
    return
  end
  for i = #list, 1, -1 do
    if list[i] == change then
      table.remove(list, i)
      return
    end
  end
end
conditions.restore = restore

-- Returns the value of a changed slot, as restore() takes it.
function conditions.valueOf(change)
  local condition = conditions.at(change.resource, change.slot)
  local text = condition ~= 'ready' and marks.detailsOf(change.resource, change.slot, condition) or ''
  return { condition = condition, text = text }
end

-- Sets the condition of a slot, with a reason and who set it, nil none. The resource must have the slot, whose name is
-- nil for the only slot. Returns true if anything has changed. If only the reason has, the slot is in its condition
-- since it was before.
function conditions.set(resource, slot, condition, reason, actor)
  slot = slot or resource
  local before, wasReason, wasSince = conditions.describe(resource, slot)
  reason = reason or nil
  if before == condition and (condition == 'ready' or wasReason == reason) then
    return false
  end
  touch(resource)
  local since = before == condition and wasSince or clock.nowMs()
  local change = {
    resource = resource, slot = slot, before = before, condition = condition, reason = reason, actor = actor,
    since = since, restore = restore,
  }
  local value = conditions.valueOf(change)
  change.wasText = value.text
  slotMap.noteChange(change, value)
  conditions.changed[#conditions.changed + 1] = change
  assign(resource, slot, condition, string.format('%.0f\n', since) .. (actor or '') .. '\n' .. (reason or ''))
  return true
end

-- Writes all changes, and notes in the history which slots are no longer out of service.
function conditions.write()
  if not store.isAnyChanged() then
    return
  end
  for _, change in ipairs(conditions.changed) do
    if change.before == 'out' and change.condition ~= 'out' then
      history.noteOut(change.slot, change.wasText, change.actor)
    end
  end
  for resource, was in pairs(touched) do
    local one = registry.definition(resource)
    one.hasConditions = one.isDirtied or marks.countOf(resource, one.capacity, 'ready') < one.capacity
    if one.hasConditions ~= was then
      bytes.callWith('HSET', keys.definitions, { resource, registry.packDefinition(one) })
    end
  end
  store.write()
end

function conditions.begin()
  if not conditions.changed or next(touched) then
    conditions.changed, touched = {}, {}
  end
end

return conditions
