-- Finds the slot that meets an entry of a plan (plan.lua), or the conflict that keeps it from being met: the resource,
-- an ancestor or a blocker is held by somebody else.
--@include clock
--@include freeSlots
--@include held
--@include owners

-- Returns the slot that meets an entry, and true if it must be taken, false if its owner has it; nil if no slot does.
local function slotFor(entry)
  local resource, slot, owner = entry.resource, entry.slot, entry.owner
  if tenant.closing > nowMs then
    spend(1)
    if tonumber(redis.call('HGET', definitionsKey, '\2' .. resource) or 0) > nowMs then
      -- It may be about to be deleted, so no slot of it is given out.
      entry.closing = true
      return nil
    end
  end
  local own = definition(resource)
  if slot then
    local record = recordAt(slot)
    if record then
      return record.owner == owner and slot or nil, false
    end
    return heldOf(resource) < own.capacity and slot or nil, true
  end
  if not own or not own.pooled then
    local record = recordAt(resource)
    if record then
      return record.owner == owner and resource or nil, false
    end
    return resource, true
  end
  local mine = assignedSlot(resource, owner)
  if mine then
    return mine, false
  elseif heldOf(resource) >= own.capacity then
    return nil
  elseif own.capacity == 1 then
    return resource, true
  end
  local index = lowestFree(resource, own.capacity)
  return index and resource .. '_' .. index, true
end

-- Explains why an entry of a plan cannot be met. Returns status and explanation.
local function whyNotTaken(entry)
  local name = entry.slot or entry.resource
  if entry.closing then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ' .. name .. ' is being deleted'
  elseif entry.role == 'ancestor' then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ancestor ' .. name .. ' is at capacity'
  elseif entry.role == 'blocker' then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: blocker ' .. name .. (entry.invalid and ' is not valid' or ' is held')
  end
  local own = definition(entry.resource)
  local pool = own and own.capacity > 1
  if not pool or entry.slot and recordAt(entry.slot) then
    return 'ALREADY_HELD', 'ALREADY_HELD'
  end
  return 'NOT_AVAILABLE', 'NOT_AVAILABLE'
end
