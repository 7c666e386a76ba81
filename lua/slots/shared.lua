-- Slots that several hold, and several slots of one holder.
--
-- The record of a slot that is held SHARED (docs/specification.md#shared-holds) has no token, and its owner is
-- system:<slot>. Its refCount is the number of those who hold the slot. Each of them has a reservation of its own,
-- whose plan begins with the slot. It is stored in a field of the slots hash that no name can have:
-- <slot>\1<requester>\1.
--
-- A reservation of several slots of a pool (docs/specification.md#several-slots) is stored on the slot that its owner
-- was assigned. Its plan has the other slots, each of which has a record without a token (slots/codec.lua); so
-- whatever ends the reservation frees all of them. Its details (reservations/texts.lua) list all slots in the order of
-- their numbers.
local itemForms = require('frame/items')
local registry = require('definitions/definitions')
local shared = {}

-- Returns true if a field of the slots hash is that of a SHARED reservation, and no slot.
function shared.isShare(field)
  return string.byte(field, -1) == 1
end

-- Returns the owner that a slot has while it is held SHARED.
function shared.sharedOwner(slot)
  return 'system:' .. slot
end

-- Returns true if a slot's record says that it is held SHARED.
function shared.isSharedHold(slot, record)
  return not record.token and record.owner == shared.sharedOwner(slot)
end

-- Returns the field of a requester's SHARED reservation of a slot.
function shared.shareOf(slot, requester)
  return slot .. '\1' .. requester .. '\1'
end

-- Explains why a resource, or one slot of it, cannot be held SHARED; nil if it can.
function shared.whyNotSharable(resource, slot)
  local own = not slot and registry.definition(resource)
  if own and own.capacity > 1 then
    return string.format(
      'NOT_VALID: %s has %d slots; SHARED needs the name of one, %s_0 to %s_%d', resource, own.capacity, resource,
      resource, own.capacity - 1
    )
  end
end

-- Returns true if what a requester holds is enough for an item: a SHARED reservation is not for one that asks for an
-- EXCLUSIVE one.
function shared.isEnough(had, item)
  return itemForms.isSharedItem(item) or not shared.isShare(had.slot)
end

-- Explains why a resource, or one slot of it, can never be reserved with this count of slots; nil if it can.
function shared.whyNever(resource, slot, count)
  local own = registry.definition(resource)
  if own and own.isGroup then
    return 'NOT_VALID: ' .. resource .. ' is a group'
  elseif count == 1 then
    return nil
  elseif slot then
    return 'NOT_VALID: ' .. slot .. ' is one slot; count needs the name of its pool'
  end
  local capacity = own and own.capacity or 1
  if capacity < count then
    return string.format('NOT_VALID: %s has %d %s', resource, capacity, capacity == 1 and 'slot' or 'slots')
  end
end

return shared
