-- Finds a requester's reservation by a name.
--@include names
--@include held
--@include owners

-- Returns the requester's reservation for a name, by the name's meaning now or when it was reserved. That is the
-- reservation on the slot of that name, else the one of the resource, else, if a path no longer leads to its last
-- segment, the one that was reserved by that path. If there is none, returns nil and whether anybody holds a slot of
-- it.
local function reservationOf(name, requester)
  local at = reservationAt(name, requester)
  if at then
    return at
  end
  local record = recordAt(name)
  local resource, slot = resolve(name)
  if resource then
    local mine = reservationOn(resource, slot, requester)
    if mine then
      return mine
    end
    local own = definition(resource)
    return nil, record or not slot and own and own.pooled and heldOf(resource) > 0 or recordAt(slot or resource)
  end
  local last = lastSegment(name)
  local mine = last and definition(last) and reservationOn(last, nil, requester)
  if mine and mine.requestedName == name then
    return mine
  end
  return nil, record
end
