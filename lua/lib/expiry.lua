-- Ends reservations that are due. Every script that looks at slots does this first, so none ever sees an expired
-- reservation.
--@include clock
--@include emit
--@include finish

-- Splits a member of the due set, of either form (due.lua), into its slot and its fencing token, nil if it has none.
local function readDueMember(member)
  local fence, slot = string.match(member, '^(%d+)\n(.+)$')
  if fence then
    return slot, tonumber(fence)
  end
  return member, nil
end

-- Returns the reservation that a member of the due set names, if it is due now; else nil.
local function dueReservation(member)
  local slot, fence = readDueMember(member)
  local record = recordAt(slot)
  local isIt = record and record.token and (fence == nil or fence == record.fence)
  return isIt and record.expiresAt > 0 and record.expiresAt <= nowMs and record or nil
end

-- Ends what is due, the earliest first, and leaves time for the script's own work. Returns nil if nothing is due any
-- more: the script goes on and finish() writes this with its own changes. Else returns {'AGAIN'}, with the piece
-- committed: the script returns it, and is called again.
local function expire()
  if tenant.nextDue > nowMs then
    return nil
  end
  -- Reservations that one script ends and the work that it does for this, before it leaves the rest to the next one.
  local MAX_ENDED, MAX_EXPIRY_WORK = 100, 1500
  isDueStale = true
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
    local ended = dueReservation(member)
    if ended then
      release(ended)
      spend(5)
      local event = {
        requestType = 'EXPIRE', resource = ended.requestedName, requester = ended.owner, explanation = 'EXPIRED',
        resourceType = ended.type, apiKeyLabel = ended.label,
      }
      emit('RESERVATION_EXPIRED', event)
      event.explanation = 'RELINQUISHED'
      emit('UNRESERVED', event)
    else
      -- A due entry must not fail every script for ever, whatever brought it about.
      redis.call('ZREM', dueKey, member)
      report('slot ' .. (readDueMember(member)) .. ': it was due, and has no lease that is')
    end
    if work > MAX_EXPIRY_WORK and i < #members then
      break
    end
  end
  if #members == MAX_ENDED or work > MAX_EXPIRY_WORK then
    return finish({ 'AGAIN' })
  end
end
