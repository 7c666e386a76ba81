--@rare
-- The tenant's pools, as this script sees and changes them. Besides bitmaps (bitmaps.lua), the pools hash has
--   <pool>           held and from, packed; absent if no slot of it is held
--   <pool>\n<owner>  the slot that the owner was assigned
-- pools[pool] is a table:
--   held      number of its slots that are held
--   stored    the stored value of held
--   from      no slot below this index is free
--   assigned  owner -> slot, false for none, nil if it was not read
--   isChanged true if commit() must write the pool even if held has not changed
--@include bitmaps
--@include slotNames
local POOL = '>I4I4'
local pools = {}

local function poolOf(name)
  local pool = pools[name]
  if not pool then
    spend(2)
    local held, from = 0, 0
    local packed = redis.call('HGET', poolsKey, name)
    if packed then
      held, from = struct.unpack(POOL, packed)
    end
    pool = { held = held, from = from, stored = held, assigned = {} }
    pools[name] = pool
  end
  return pool
end

-- Adds a slot to the held slots of its pool (change 1) or removes it (-1). Takes the slot's record.
local function account(slot, record, change)
  local pool = poolOf(record.pool)
  local _, index = slotIndex(slot)
  pool.held = pool.held + change
  markSlot(record.pool, index, change == 1)
  if change == -1 then
    pool.from = math.min(pool.from, index)
  end
  if not record.byName then
    pool.assigned[record.owner] = change == 1 and slot
  end
end
