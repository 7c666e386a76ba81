-- Verbs that set conditions (docs/specification.md#condition).
local admission = require('frame/admission')
local charged = require('frame/charged')
local conditionEvents = require('events/conditions')
local conditions = require('slots/conditions')
local itemForms = require('frame/items')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local verbs = {}

--[[ setCondition (ARGV[1] credential, ARGV[2] flags)
  Sets the condition of resources and slots. Handles all items of one request, in order. A pool means all its slots;
  each slot is a write.

  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is {'CHANGED', number of slots that changed}, {'UNCHANGED'} or {'NOT_VALID',
  explanation}, as a text (reservations/texts.lua). Each change is in the events, and, if a slot was out of service and
  no longer is, in the history.
]]
local MAX_SLOTS = 500

-- Returns the number of slots that an item means; 1 if it means none.
local function slotsOf(item)
  local resource, slot = naming.resolve(item.resource)
  local own = resource and not slot and registry.definition(resource)
  return own and not own.isGroup and own.capacity or 1
end

-- Counts the slots of all items. Sets request.surplus to the first item, from 0, with which there are too many.
local function cost(items, request)
  local names, sum = {}, 0
  for i, item in ipairs(items) do
    names[i] = item.resource
  end
  naming.readMeanings(names)
  for i, item in ipairs(items) do
    sum = sum + slotsOf(item)
    if sum > MAX_SLOTS then
      request.surplus = i - 1
      return #items
    end
  end
  return sum
end

local function tooMany(_, request)
  if request.surplus then
    quota.pay()
    return { 'REFUSED', string.format(
      '[%d].resource takes the request over %d slots: name some of them', request.surplus, MAX_SLOTS
    ) }
  end
end

-- Explains why a name has no condition; nil if it has one. Takes what resolve() returned.
local function whyNone(name, resource, slot)
  local own = resource and registry.definition(resource)
  local pool = pools.slotNumber(name)
  local whole = pool and registry.definition(pool)
  if own and own.isGroup then
    return 'NOT_VALID: ' .. resource .. ' is a group'
  elseif not own and whole and whole.capacity > 1 then
    return string.format(
      'NOT_VALID: %s has %d slots, %s_0 to %s_%d', pool, whole.capacity, pool, pool, whole.capacity - 1
    )
  elseif not own or slot and own.capacity == 1 then
    return 'NOT_VALID: ' .. name .. ' is not registered: it has no condition'
  end
end

local function setOne(item)
  local resource, slot = naming.resolve(item.resource)
  local fault = whyNone(item.resource, resource, slot)
  if fault then
    return { 'NOT_VALID', fault }
  end
  local slots, changed = { slot or resource }, 0
  local capacity = registry.definition(resource).capacity
  for i = 1, not slot and capacity > 1 and capacity or 0 do
    slots[i] = pools.slotAt(resource, i - 1)
  end
  slotMap.readSlots(slots)
  local reason = item.reason ~= '' and item.reason or nil
  for _, one in ipairs(slots) do
    if conditions.set(resource, one, item.condition, reason, admission.actorName()) then
      changed = changed + 1
    end
  end
  conditionEvents.emit()
  return changed > 0 and { 'CHANGED', changed } or { 'UNCHANGED' }
end

verbs.setCondition = charged.verb({
  right = 'define', isRemembered = true, firstItem = 3, readItem = itemForms.conditionItem, firstResult = 3,
  cost = cost, fault = tooMany, carryOutItem = setOne,
})

return verbs
