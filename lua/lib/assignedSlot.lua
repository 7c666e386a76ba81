--@rare
-- Finds the slot of a pool that an owner was assigned.
--@include pools
--@include slots

-- Returns the slot of a pool that an owner was assigned; false for none.
local function assignedSlot(name, owner)
  local pool = poolOf(name)
  local slot = pool.assigned[owner]
  if slot == nil then
    slot = false
    if pool.stored > 0 then
      spend(1)
      slot = redis.call('HGET', poolsKey, name .. '\n' .. owner)
    end
    pool.assigned[owner] = slot
  end
  if slot then
    return slot
  end
  local record = recordAt(name)
  return record and record.owner == owner and name
end
