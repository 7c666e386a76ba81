-- Ends due reservations (docs/specification.md#expiry). Every script that reads slots does this first, so no script
-- ever sees an expired reservation.
--@include clock
--@include emit
--@include finish

-- Number of leases that this script ended.
local leasesEnded = 0
-- Limits for one call: reservations ended, and work spent on ending them.
local MAX_ENDED, MAX_EXPIRY_WORK = 100, 1500

-- Makes endLease() and endLeases(), and returns them. Most calls end nothing, and make neither.
local function openEnding()
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
  -- label of the key whose caller ended the session, nil if it was due.
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
    release(ended)
    spend(5)
    local event = {
      requestType = endedBy and 'UNRESERVE' or 'EXPIRE', resource = ended.requestedName, requester = ended.owner,
      explanation = 'EXPIRED', resourceType = ended.type, apiKeyLabel = endedBy or ended.label,
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

  return endLease, endLeases
end

-- Ends due reservations, up to a limit that leaves time for the script's own work; if the tenant has tickets, carries
-- out all that is due of them too. Returns nil if nothing is left: the script goes on, and finish() writes these
-- changes with its own. If more is due, commits these and returns {'AGAIN'}: the script returns it, and the instance
-- calls again.
local function expire()
  local isAll = true
  local isSessionDue = tenant.sessions and tenant.sessions.nextDue <= nowMs
  if tenant.queueText and (isSessionDue or tenant.nextDue <= nowMs or tenant.queueState.nextDue <= nowMs or tenant.queueState.isUnsettled or tenant.queueState.replanned) then
    if not tenant.queue then
      tenant.openQueue()
    end
    isDueStale = isSessionDue or tenant.nextDue <= nowMs
    isAll = tenant.queue.catchUp((openEnding()))
  elseif isSessionDue or tenant.nextDue <= nowMs then
    isDueStale = true
    local _, endLeases = openEnding()
    isAll = tenant.nextDue > nowMs or endLeases()
    isAll = isAll and (not isSessionDue or tenant.sessions.clearDue())
  end
  if not isAll then
    if tenant.queue then
      tenant.queue.suspend()
    end
    return finish({ 'AGAIN' })
  end
end
