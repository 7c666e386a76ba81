-- Finds a requester's reservation by a name.
--@include names
--@include held
--@include owners

-- Returns the requester's reservation for a name, by the name's meaning now or when it was reserved. That is the
-- reservation on the slot of that name, else the one of the resource, else, if a path no longer leads to its last
-- segment, the one that was reserved by that path. If there is none, returns nil and whether anybody holds a slot of
-- it. Takes what resolve() returns for the name too, if the caller knows it.
local function reservationOf(name, requester, resource, slot)
  local at = reservationAt(name, requester)
  if at then
    return at
  elseif not resource then
    resource, slot = resolve(name)
  end
  if resource then
    local own = definition(resource)
    -- By the name of one slot, only that can be reserved.
    local mine = not slot and (resource ~= name or own and own.pooled) and reservationOn(resource, nil, requester)
    if mine then
      return mine
    end
    return nil, recordAt(name) or not slot and own and own.pooled and heldOf(resource) > 0 or recordAt(slot or resource)
  end
  local last = lastSegment(name)
  local mine = last and definition(last) and reservationOn(last, nil, requester)
  if mine and mine.requestedName == name then
    return mine
  end
  return nil, recordAt(name)
end
