--@rare
-- Shared holds (docs/specification.md#shared-holds).
--
-- The record of a slot that is held SHARED has no token, and its owner is system:<slot>. Its refCount is the number of
-- those who hold the slot. Each of them has a reservation of its own, whose plan begins with the slot. It is stored in
-- a field of the slots hash that no name can have: <slot>\1<requester>\1.
--@include slots

-- Returns the owner that a slot has while it is held SHARED.
local function sharedOwner(slot)
  return 'system:' .. slot
end

-- Returns true if a slot's record says that it is held SHARED.
local function isSharedHold(slot, record)
  return not record.token and record.owner == sharedOwner(slot)
end

-- Returns the field of a requester's SHARED reservation of a slot.
local function shareOf(slot, requester)
  return slot .. '\1' .. requester .. '\1'
end
