--@rare
-- Finds the slot for an entry of a plan (plan.lua), or explains the conflict if there is none: another owner holds the
-- resource, an ancestor or a blocker.
--@include clock
--@include freeSlots
--@include held
--@include owners

-- Returns the name of a pool's slot.
local function slotAt(pool, index)
  local slot = pool .. '_' .. index
  poolNames[slot], poolIndexes[slot] = pool, index
  return slot
end

-- Finds the slot for an entry. Returns the slot, and false if the entry's owner already holds it, true if not. Returns
-- nil if no slot is free.
local function slotFor(entry)
  local resource, slot, owner = entry.resource, entry.slot, entry.owner
  if tenant.closing > nowMs then
    spend(1)
    if tonumber(redis.call('HGET', definitionsKey, '\2' .. resource) or 0) > nowMs then
      -- The resource may be about to be deleted, so no slot of it is assigned.
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
  elseif heldOf(resource) + (entry.count or 1) > own.capacity then
    return nil
  elseif own.capacity == 1 then
    return resource, true
  end
  local index
  if tenant.queue then
    index = tenant.queue.unkept(resource, own.capacity)
  else
    index = lowestFree(resource, own.capacity)
  end
  return index and slotAt(resource, index), true
end

-- Explains why an entry of a plan cannot be met. Returns status and explanation.
local function whyNotTaken(entry)
  local name = entry.slot or entry.resource
  if entry.closing then
    return 'NOT_AVAILABLE', 'NOT_AVAILABLE: ' .. name .. ' is being deleted'
  elseif entry.isGroup then
    return 'NOT_VALID', 'NOT_VALID: blocker ' .. name .. ' is a group'
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
