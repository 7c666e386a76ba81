-- Finds the slots of an owner.
--@include definitions
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

-- Returns the requester's reservation of a resource, or of one slot of it; nil if it has none.
local function reservationOn(resource, slot, requester)
  local own = definition(resource)
  local mine = slot or (own and own.pooled and assignedSlot(resource, requester) or resource)
  local record = recordAt(mine)
  if record and record.token and record.owner == requester then
    return record
  end
end
