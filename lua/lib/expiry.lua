-- Ends due reservations (docs/specification.md#expiry). Every script that reads slots does this first, so no script
-- ever sees an expired reservation.
--@include clock
--@include definitions
--@include emit
--@include finish

-- Number of leases that this script ended.
local leasesEnded = 0
-- Limits for one call: reservations ended, and work spent on ending them.
local MAX_ENDED, MAX_EXPIRY_WORK = 100, 1500

-- Returns endLease() and endLeases(). Most calls end nothing, and make neither.
local function openEnding()
--@include endLeases
  return endLease, endLeases
end

-- Returns true if items can be carried out although the tenant has work left: they name plain resources for which
-- nobody waits, and whose reservations are not due, so that neither has to do with the other.
local function areApart(items)
  for _, item in ipairs(items) do
    local name = item.resource
    local pool = slotIndex(name)
    local isPlain = not string.find(name, '>', 1, true) and not definition(name) and not (pool and definition(pool))
    local lastsLonger = item.ttlMs and string.sub(item.ttlMs, 1, 1) == 's'
    if not isPlain or lastsLonger or item.options or (item.wait or '') ~= '' or not tenant.queue.isLineEmpty(name) then
      return false
    end
    local record = recordAt(name)
    if record and (record.session or record.pool ~= '' or record.expiresAt ~= 0 and record.expiresAt <= nowMs) then
      return false
    end
  end
  return items[1] ~= nil
end

-- Ends due reservations, up to a limit that leaves time for the script's own work; if the tenant has tickets, carries
-- out all that is due of them too. Returns nil if nothing is left: the script goes on, and finish() writes these
-- changes with its own. If more is due, commits these and returns {'AGAIN'}: the script returns it, and the instance
-- calls again. `items`: those of the request, nil for one without. If they are apart from what is left, the script goes
-- on, and leaves that to later ones.
local function expire(items)
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
      if items and areApart(items) then
        return nil
      end
    end
    return finish({ 'AGAIN' })
  end
end
