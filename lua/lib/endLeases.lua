-- Ends due leases. Most calls end none, so expiry.lua includes this file in a function.

-- Splits a member of the due set, of either form (due.lua), into its slot and its fencing token (nil in the first
-- form).
local function readDueMember(member)
  local fence, slot = string.match(member, '^(%d+)\n(.+)$')
  if fence then
    return slot, tonumber(fence)
  end
  return member, nil
end

-- Returns the reservation that a member of the due set names; nil if it is not due now.
local function dueReservation(member)
  local slot, fence = readDueMember(member)
  local record = recordAt(slot)
  local isIt = record and record.token and (fence == nil or fence == record.fence)
  return isIt and record.expiresAt > 0 and record.expiresAt <= nowMs and record or nil
end

-- Ends the lease that a due member stands for; or `held`, a reservation of a session that is over: `endedBy` is the
-- session if its caller ended it, nil if it was due.
local function endLease(member, held, endedBy)
  local ended = held or dueReservation(member)
  if not ended then
    -- An inconsistent due entry must not make every script of the tenant fail for ever.
    redis.call('ZREM', dueKey, member)
    report('slot ' .. (readDueMember(member)) .. ': it was due, and has no lease that is')
    return
  end
  if ended.session and not held then
    -- An instance of the version before renewed it as a lease. It lasts as long as its session.
    setRecord(ended.slot, copyWith(ended, { expiresAt = 0 }))
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
  local members = redis.call('ZRANGE', dueKey, '-inf', nowMs, 'BYSCORE', 'LIMIT', 0, MAX_ENDED)
  work = 0
  for i, member in ipairs(members) do
    if i % 10 == 1 then
      local slots = { unpack(members, i, math.min(i + 9, #members)) }
      for j, one in ipairs(slots) do
        slots[j] = (readDueMember(one))
      end
      readSlots(slots)
    end
    endLease(member)
    if work > MAX_EXPIRY_WORK and i < #members then
      break
    end
  end
  return #members < MAX_ENDED and work <= MAX_EXPIRY_WORK
end
