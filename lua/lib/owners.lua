-- Finds the slots of an owner.
--@include assignedSlot
--@include definitions
--@include shared
--@include slots

-- Returns the requester's reservation that a slot belongs to, as its own slot or as one of several (several.lua), or by
-- which it is held SHARED (shared.lua); nil if there is none.
local function reservationAt(slot, requester)
  local record = recordAt(slot)
  if not record then
    return nil
  elseif record.owner ~= requester then
    return isSharedHold(slot, record) and recordAt(shareOf(slot, requester)) or nil
  elseif record.token then
    return record
  elseif record.byName then
    local first = assignedSlot(record.pool, requester)
    local reservation = first and recordAt(first)
    if reservation and reservation.token then
      spend(#reservation.plan / 1000)
      return string.find('\n' .. reservation.plan, '\n' .. slot .. '\n', 1, true) and reservation or nil
    end
  end
end

-- Returns the requester's reservation of a resource, or of one slot of it; nil if it has none.
local function reservationOn(resource, slot, requester)
  local own = definition(resource)
  return reservationAt(slot or (own and own.pooled and assignedSlot(resource, requester) or resource), requester)
end
