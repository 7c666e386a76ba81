-- Finds a reservation again.
--@include names
--@include held
--@include owners

-- Returns the requester's reservation of what a name means now, or meant when it was reserved: the one on the slot of
-- that name, the one of the resource, or, if a path no longer leads to its last segment, the one that was reserved by
-- that path. Returns nil if there is none, and whether anybody holds a slot of it.
local function reservationOf(name, requester)
  local record = recordAt(name)
  if record and record.token and record.owner == requester then
    return record
  end
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
