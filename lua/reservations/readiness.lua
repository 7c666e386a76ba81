-- Tells pages how many slots of a resource can be had, and which are not ready, since when, why and by whom.
local conditions = require('slots/conditions')
local freeSlots = require('slots/freeSlots')
local naming = require('definitions/names')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local readiness = {}

-- Returns the number of slots that a request can have, and how many are out of service or have to be cleaned.
function readiness.countsOf(name, own)
  if own and own.isGroup then
    return 0, 0, 0
  end
  local capacity = own and own.capacity or 1
  if not own or not own.hasConditions then
    return math.max(0, capacity - freeSlots.heldOf(name)), 0, 0
  end
  return conditions.freeOf(name, capacity, 'ready'), conditions.countOf(name, capacity, 'out'),
    conditions.countOf(name, capacity, 'dirty')
end

-- Returns 'out' or 'dirty' if a request can have no slot since those that are not held are not ready; else ''.
function readiness.whyNotReady(name, own)
  local free, out, dirty = readiness.countsOf(name, own)
  if free > 0 or out + dirty == 0 or freeSlots.heldOf(name) >= own.capacity then
    return ''
  end
  return out > 0 and 'out' or 'dirty'
end

-- Returns the slots that are not ready, of some slots of a resource, as texts: lines of slot, out or dirty, when it was
-- set, in ms (0: not known), who set it ('' nobody in particular), and the reason ('' none).
function readiness.texts(name, own, slots)
  local found = {}
  for _, slot in ipairs(own and own.hasConditions and slots or {}) do
    local condition, reason, sinceMs, actor = conditions.describe(name, slot)
    if condition and condition ~= 'ready' then
      found[#found + 1] = table.concat({ slot, condition, sinceMs or 0, actor or '', reason or '' }, '\n')
    end
  end
  return found
end

-- Returns 'out' or 'dirty' if a resource or slot that is in the way is not held, but not ready; else ''.
function readiness.inTheWay(name)
  if name == '' then
    return ''
  end
  local resource, slot = naming.resolve(name)
  local own = resource and registry.definition(resource)
  if not own or not own.hasConditions or slot and slotMap.recordAt(slot) then
    return ''
  end
  local condition = slot and conditions.at(resource, slot) or readiness.whyNotReady(resource, own)
  return condition == 'ready' and '' or condition
end

return readiness
