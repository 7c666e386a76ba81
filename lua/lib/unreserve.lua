-- Finding a reservation again by a name that it goes by, and releasing it.
--@include plan

-- The slot with the requester's token for what a name means now, or meant when it was reserved: the slot of that name,
-- the one it has of the resource, or if a path no longer leads to its last segment, the one that was reserved by that
-- path. Returns the slot; else nil, and whether anybody holds a slot of it.
local function reservationOf(name, requester)
  local record = at(name)
  if record and record.token and record.owner == requester then
    return name
  end
  local resource, slot = resolve(name)
  if resource then
    local mine = tokenSlot(resource, slot, requester)
    if mine then
      return mine
    end
    local own = definition(resource)
    return nil, record or not slot and own and own.pooled and heldOf(resource) > 0 or at(slot or resource)
  end
  local last = lastSegment(name)
  local mine = last and definition(last) and tokenSlot(last, nil, requester)
  if mine and at(mine).asked == name then
    return mine
  end
  return nil, record
end

-- A session may release any reservation of its tenant without a token.
local mayForce = string.sub(ARGV[1], 1, 8) == 'session:'

-- Carries out one item of a request. Returns the record of the reservation that it ended, if it did, after a reply:
--   {'RELINQUISHED', slot, ...}   the slots that became free, the reservation's own first
--   {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'}
--   {'INVALID_RELEASE_TOKEN'}     the requester has the reservation, and the token is not that reservation's
local function unreserve(name, requester, token)
  local slot, held = reservationOf(name, requester)
  if not slot then
    return { held and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
  elseif at(slot).token ~= token and not mayForce then
    return { 'INVALID_RELEASE_TOKEN' }
  end
  local ended = at(slot)
  return { 'RELINQUISHED', unpack(release(slot)) }, ended
end
