-- Lines: the requests for slots of one resource, or for one slot, in one condition
-- (docs/specification.md#waiting-order). Ancestors and blockers have to be ready. Each line has a queue
-- (waiting/queues.lua) by one of these names:
--   <name>      for ready slots
--   \14<name>   for dirty ones
--   \15<name>   for those that are out of service
local conditions = require('slots/conditions')
local freeSlots = require('slots/freeSlots')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local lines = {}

local MARKS = { dirty = '\14', out = '\15' }
local CONDITIONS = { [14] = 'dirty', [15] = 'out' }

-- Returns the queue of a line. Condition nil: ready.
function lines.queueFor(name, condition)
  return condition and condition ~= 'ready' and MARKS[condition] .. name or name
end

-- Returns the name and the condition of the line that has a queue.
function lines.lineOf(queue)
  local condition = CONDITIONS[string.byte(queue)]
  if not condition then
    return queue, 'ready'
  end
  return string.sub(queue, 2), condition
end

-- Calls visit(queue, argument, condition) for each line of a name in which tickets may stand.
function lines.eachOf(name, visit, argument)
  visit(name, argument, 'ready')
  if state.hasConditions then
    visit(MARKS.dirty .. name, argument, 'dirty')
    visit(MARKS.out .. name, argument, 'out')
  end
end

-- Gives an entry of a plan (reservations/plan.lua) the queues of its lines, and `isForCleaning` if it is an ancestor or
-- a blocker of what an item wants that asks for this condition, nil: for ready slots.
function lines.assign(entry, condition)
  entry.queue = lines.queueFor(entry.resource, entry.condition)
  entry.slotQueue = entry.slot and lines.queueFor(entry.slot, entry.condition)
  if condition and (entry.role == 'ancestor' or entry.role == 'blocker') then
    entry.isForCleaning = true
  end
end

-- Returns the condition of a slot, or of a resource with one slot.
function lines.conditionOf(slot)
  local resource, own = slot, registry.definition(slot)
  if not own then
    resource = pools.slotNumber(slot)
    own = resource and registry.definition(resource)
  end
  return own and own.hasConditions and conditions.at(resource, slot) or 'ready'
end

-- Returns true if a slot is free, and a request for this condition (nil: ready) may have it.
function lines.isOpen(slot, condition)
  return not slotMap.recordAt(slot) and lines.conditionOf(slot) == (condition or 'ready')
end

-- Returns the number of free slots of a line.
function lines.freeAt(queue)
  local name, condition = lines.lineOf(queue)
  local own = registry.definition(name)
  if not own or not own.pooled then
    return lines.isOpen(name, condition) and 1 or 0
  elseif own.hasConditions then
    return math.max(0, conditions.freeOf(name, own.capacity, condition))
  end
  return condition == 'ready' and math.max(0, own.capacity - freeSlots.heldOf(name)) or 0
end

-- Returns the definition of the resource of a line, and the condition of the line; false if it is a plain name.
local function resourceOf(queue)
  local name, condition = lines.lineOf(queue)
  local own = registry.definition(name)
  if not own then
    local pool = pools.slotNumber(name)
    own = pool and conditions.isSlot(pool, name) and registry.definition(pool)
  end
  return own, condition
end

-- Returns whether a resource may have fewer slots for the requests of a line than it has, and whether its slots can be
-- booked.
function lines.limitsOf(queue)
  local own, condition = resourceOf(queue)
  return condition ~= 'ready' or own and own.hasConditions, own and own.isBookable
end

-- Returns the number of slots that a resource has for the requests of a line, held or not: for those for ready slots,
-- all but those that are out of service, since dirty ones come back. And the number of all its slots.
function lines.slotsOf(queue)
  local name, condition = lines.lineOf(queue)
  local own = registry.definition(name)
  if own and not own.hasConditions then
    return condition == 'ready' and own.capacity or 0, own.capacity
  elseif own and condition == 'ready' then
    return conditions.inService(name, own.capacity), own.capacity
  elseif own then
    return conditions.countOf(name, own.capacity, condition), own.capacity
  end
  local now = lines.conditionOf(name)
  return (now == condition or condition == 'ready' and now == 'dirty') and 1 or 0, 1
end

return lines
