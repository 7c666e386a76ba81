-- Explains what the conditions of slots have to do with a refusal (docs/specification.md#condition).
local conditions = require('slots/conditions')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local conditionTexts = {}
local ONE = { out = 'is out of service', dirty = 'needs cleaning', ready = 'is ready' }
local SEVERAL = { out = 'are out of service', dirty = 'need cleaning' }

-- Describes the condition of one slot: phone1 is out of service: display dark.
function conditionTexts.slotText(resource, slot)
  local condition, reason = conditions.describe(resource, slot)
  return (slot or resource) .. ' ' .. ONE[condition] .. (reason and ': ' .. reason or '')
end

-- Describes how many slots of a pool are not ready: 2 of 6 slots are out of service, 1 needs cleaning. Returns nil if
-- all are.
function conditionTexts.countText(capacity, out, dirty)
  local parts = {}
  if out > 0 then
    parts[1] = string.format('%d of %d slots %s', out, capacity, (out == 1 and ONE or SEVERAL).out)
  end
  if dirty > 0 then
    local of = out > 0 and '' or string.format(' of %d slots', capacity)
    parts[#parts + 1] = string.format('%d%s %s', dirty, of, (dirty == 1 and ONE or SEVERAL).dirty)
  end
  return parts[1] and table.concat(parts, ', ')
end

-- Explains why no slot of a pool has the condition that is asked for; nil if some have, which are held.
local function whyNoneOf(resource, capacity, condition)
  if condition == 'ready' then
    return conditionTexts.countText(
      capacity, conditions.countOf(resource, capacity, 'out'), conditions.countOf(resource, capacity, 'dirty')
    )
  elseif conditions.countOf(resource, capacity, condition) == 0 then
    return string.format('none of %d slots %s', capacity, ONE[condition])
  end
end

-- Returns true if an entry cannot have its slot for the condition of that: nobody holds it, or those who do would let
-- the entry in.
local function isUnfit(entry)
  local slot = entry.slot or entry.resource
  local record = slotMap.recordAt(slot)
  local isOpen = not record or record.owner == entry.owner
  return isOpen and conditions.at(entry.resource, slot) ~= (entry.condition or 'ready')
end

-- Explains why the condition of slots keeps an entry of a plan (reservations/plan.lua) from being met; nil if it does
-- not. A slot that somebody else holds is held, whatever its condition.
function conditionTexts.whyUnfit(entry)
  local own, resource = registry.definition(entry.resource), entry.resource
  if not own or not (own.hasConditions or entry.condition) then
    return nil
  end
  local role = entry.role ~= 'own' and entry.role .. ' ' or ''
  if entry.slot or own.capacity == 1 then
    return isUnfit(entry) and role .. conditionTexts.slotText(resource, entry.slot) or nil
  end
  local text = whyNoneOf(resource, own.capacity, entry.condition or 'ready')
  return text and (role == '' and text or role .. resource .. ': ' .. text) or nil
end

return conditionTexts
