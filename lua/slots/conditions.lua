-- The conditions of slots (docs/specification.md#condition): ready, dirty, or out of service. slots/marks.lua keeps
-- them. A resource without the flag hasConditions has ready slots only, and asking for them costs nothing. Field:
-- changed, the changes of this call in order, each a table:
--   resource, slot      the slot's name; that of the resource if it has only one
--   before, condition   the condition before and after the change
--   reason, actor, since  of the condition after the change: nil none; nil the service; ms
--   wasText             the details of the condition before, as slots/marks.lua has them; '' none
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local codec = require('slots/codec')
local finding = require('slots/findSlots')
local freeSlots = require('slots/freeSlots')
local history = require('history/ended')
local keys = require('frame/keys')
local marks = require('slots/marks')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local store = require('slots/markStore')
local conditions = {}
-- touched[resource]: whether a resource whose conditions this call changes had the flag before.
local touched
-- True if this call changes what is out of service.
local isOutChanged
-- The last time that nextVersion() has returned; nil before it is read.
local version

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

conditions.areAny = marks.areAny

-- Returns the condition of a slot. Takes its name; nil for the only slot of a resource. What is no slot of a resource
-- is ready.
function conditions.at(resource, slot)
  local one = registry.definition(resource)
  local slotNumber = one and one.hasConditions and numberOf(resource, slot)
  return slotNumber and marks.conditionOf(resource, slotNumber) or 'ready'
end

conditions.countOf = marks.countOf

-- Reads at once how many slots of some resources have which condition.
conditions.readCounts = marks.readCounts

-- Returns how many slots of a resource are not out of service.
function conditions.inService(resource, capacity)
  return capacity - marks.countOf(resource, capacity, 'out')
end

-- Returns how many slots of a resource are free and have a condition. Slots that are held from an earlier capacity
-- count as taken from the ready ones.
function conditions.freeOf(resource, capacity, condition)
  local one = registry.definition(resource)
  if not one or not one.hasConditions then
    return condition == 'ready' and math.max(0, capacity - freeSlots.heldOf(resource)) or 0
  end
  local isReady = condition == 'ready'
  if capacity == 1 then
    local isHeld = slotMap.recordAt(resource) or isReady and freeSlots.heldOf(resource) > 0
    return not isHeld and conditions.at(resource) == condition and 1 or 0
  end
  local pool, count = pools.poolOf(resource), marks.countIn(resource, one, condition)
  local held = isReady and freeSlots.heldOf(resource) - pool.heldOut - pool.heldDirty or
    condition == 'out' and pool.heldOut or pool.heldDirty
  return math.max(0, count - held)
end

conditions.freeFrom, conditions.nextFree, conditions.firstOf = finding.freeFrom, finding.nextFree, finding.firstOf

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

-- Gives a slot another condition and details, which are a text as in slots/marks.lua.
local function assign(resource, slot, before, condition, text)
  local record = slotMap.recordAt(slot)
  marks.change(resource, numberOf(resource, slot), before, condition, record and record.pool == resource)
  slotMap.arePoolsTouched = slotMap.arePoolsTouched or slot ~= resource
  marks.putDetails(resource, slot, before, condition, text)
end

-- Gives the reservation of a resource with one slot a form that the general way releases (slots/codec.lua).
local function markHeld(resource, slot)
  local record = slot == resource and slotMap.recordAt(slot)
  if record and record.token and record.details == '' then
    slotMap.setRecord(slot, codec.copyWith(record, { details = codec.NO_DETAILS }))
  end
end
conditions.markHeld = markHeld

-- Undoes a change: gives its slot the value that it had before. Called again, with the value after, it redoes that.
local function restore(change, before)
  local now = conditions.valueOf(change)
  slotMap.noteChange(change, now)
  assign(change.resource, change.slot, now.condition, before.condition, before.text)
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
  local value = conditions.valueOf({ resource = resource, slot = slot })
  local before, wasReason, wasSince = value.condition, split(value.text)
  if before == condition and (condition == 'ready' or wasReason == reason) then
    return false
  end
  touch(resource)
  markHeld(resource, slot)
  local since = before == condition and wasSince or clock.nowMs()
  local change = {
    resource = resource, slot = slot, before = before, condition = condition, reason = reason, actor = actor,
    since = since, restore = restore, valueOf = conditions.valueOf, wasText = value.text,
  }
  slotMap.noteChange(change, value)
  conditions.changed[#conditions.changed + 1] = change
  assign(resource, slot, before, condition, string.format('%.0f\n', since) .. (actor or '') .. '\n' .. (reason or ''))
  return true
end

-- Reads the details of some slots, at once.
function conditions.readDetails(resource, slots)
  local fields = {}
  for i, slot in ipairs(slots) do
    fields[i] = '\3' .. slot
  end
  store.read('conditions', fields)
  if registry.definition(resource).isDirtied then
    store.read('clean', fields)
  end
end

-- Notes that this call changes what is out of service in another way: its copies are no longer right.
function conditions.noteOutChanged()
  isOutChanged = true
end

-- Returns a time in us that is later than all it has returned: it tells changes of what is out of service apart, and
-- their entries in the history.
function conditions.nextVersion()
  version = version or tonumber(redis.call('HGET', keys.conditions, marks.VERSION) or 0)
  version = math.max(version + 1, clock.nowUs())
  return version
end

-- Takes a slot out of service, with details as slots/marks.lua has them, for which there is no event.
function conditions.restoreOut(resource, slot, text)
  touch(resource)
  markHeld(resource, slot)
  assign(resource, slot, conditions.at(resource, slot), 'out', text)
  isOutChanged = true
  -- Those who wait for it see it.
  local change = { resource = resource, slot = slot, before = 'ready', condition = 'ready', restore = restore }
  conditions.changed[#conditions.changed + 1] = change
end

-- Writes all changes, and notes in the history which slots are no longer out of service.
function conditions.write()
  if not store.isAnyChanged() then
    return
  end
  for _, change in ipairs(conditions.changed) do
    if change.before == 'out' and change.condition ~= 'out' then
      history.noteOut(conditions.nextVersion(), change.resource, change.slot, change.wasText, change.actor)
    end
    isOutChanged = isOutChanged or change.before == 'out' or change.condition == 'out'
  end
  if isOutChanged then
    bytes.callWith('HSET', keys.conditions, { marks.VERSION, string.format('%.0f', conditions.nextVersion()) })
  end
  for resource, was in pairs(touched) do
    local one = registry.definition(resource)
    one.hasConditions = one.isDirtied or marks.countOf(resource, one.capacity, 'ready') < one.capacity
    if one.hasConditions ~= was then
      bytes.callWith('HSET', keys.definitions, { resource, registry.packDefinition(one) })
    end
  end
  marks.write()
end

function conditions.begin()
  if not conditions.changed or next(touched) then
    conditions.changed, touched = {}, {}
  end
  isOutChanged, version = false, nil
end

return conditions
