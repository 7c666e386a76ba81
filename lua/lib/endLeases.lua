-- Ends due leases. Most calls end none, so expiry.lua includes this file in a function.

-- Returns the reservation on a slot of the due set; nil if it is not due now.
local function dueReservation(slot)
  local record = recordAt(slot)
  return record and record.token and record.expiresAt > 0 and record.expiresAt <= nowMs and record or nil
end

-- Ends the lease of the reservation on a slot; or `held`, a reservation of a session that is over: `endedBy` is the
-- session if its caller ended it, nil if it was due.
local function endLease(slot, held, endedBy)
  local ended = held or dueReservation(slot)
  if not ended then
    -- An inconsistent due entry must not make every script of the tenant fail for ever.
    redis.call('ZREM', dueKey, slot)
    report('slot ' .. slot .. ': it was due, and has no lease that is')
    return
  end
  leasesEnded = leasesEnded + 1
  howEnded = howEnded or {}
  howEnded[ended.fence] = { held and 'S' or 'E', endedBy and endedBy.actor }
  release(ended)
  spend(5)
  local event = {
    requestType = endedBy and 'UNRESERVE' or 'EXPIRE', resource = ended.requestedName, requester = ended.owner,
    explanation = 'EXPIRED', resourceType = ended.type, 
    apiKeyLabel = endedBy and endedBy.label or ended.label, actor = endedBy and endedBy.actor,
  }
  if not endedBy then
    emit('RESERVATION_EXPIRED', event)
  end
  event.explanation = 'RELINQUISHED'
  emit('UNRESERVED', event)
end

-- Ends due reservations, earliest first. Returns true if none is left that is due.
local function endLeases()
  local slots = redis.call('ZRANGE', dueKey, '-inf', nowMs, 'BYSCORE', 'LIMIT', 0, MAX_ENDED)
  work = 0
  for i, slot in ipairs(slots) do
    if i % 10 == 1 then
      readSlots({ unpack(slots, i, math.min(i + 9, #slots)) })
    end
    endLease(slot)
    if work > MAX_EXPIRY_WORK and i < #slots then
      break
    end
  end
  return #slots < MAX_ENDED and work <= MAX_EXPIRY_WORK
end
