--@rare
-- Reservations of several slots of a pool (docs/specification.md#several-slots).
--
-- Such a reservation is stored on the slot that its owner was assigned. Its plan has the further slots, each of which
-- has a record without a token (codec.lua); so whatever ends the reservation frees all of them. Its details (describe()
-- in reservePlan.lua) list all slots in index order.
--@include definitions

-- Explains why a resource, or one slot of it, can never be reserved with this count of slots; nil if it can.
local function whyNever(resource, slot, count)
  local own = definition(resource)
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
