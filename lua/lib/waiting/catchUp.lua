-- Carries out everything that was due before this call, in order of time: the ends of leases, of waits and of
-- attendance (docs/specification.md#waiting-lifetimes). The queue is settled after each due time, as if a script had
-- run then.
--@include clock
--@include waiting/settle
local MAX_DUE, MAX_DUE_WORK = 100, 1500
-- Time after which a ticket that nobody attends ends.
local AWAY_MS = 600000
-- The member of the due times that stands for the end of a pending deletion (delete.lua).
local REOPENS = '\1'
-- otherDue[member]: due times to write, of members that are no tickets; false to remove one.
local otherDue = {}

-- Returns when the attendance of a ticket ends, as far as is known now: claimMs after its call ended, or after its
-- instance was last heard of.
local function attendedUntil(ticket)
  local beat = beats[ticket.instance] or 0
  return math.min(ticket.heldUntil, beat + BEAT_LAPSES_MS) + ticket.claimMs
end

-- Ends a wait that has elapsed, with the result that a try would have now. The queue is settled, so the
-- request cannot be carried out, unless its requester has it all.
local function elapse(ticket)
  local mark, fence = #journal, tenant.fence
  local done, place, reply = carryOut(ticket)
  if done then
    undo(mark)
    tenant.fence = fence
    if not isMadeIn(done) then
      return endTicket(ticket, 'ALREADY_HAD')
    end
    place, reply = 0, { 'NOT_AVAILABLE', 'NOT_AVAILABLE' }
  end
  endTicket(ticket, 'ELAPSED', reply[1], reply[2], place)
end

-- Carries out what is due of a ticket.
local function handleDue(ticket)
  if ticket.status == 'granted' then
    if ticket.due <= nowMs then
      changeTicket(ticket, { status = 'ended' })
    end
  elseif ticket.endsAt <= nowMs or ticket.status == 'away' then
    if ticket.due <= nowMs then
      elapse(ticket)
    end
  elseif ticket.status == 'attended' then
    local ends = attendedUntil(ticket)
    if ends > nowMs then
      changeTicket(ticket, { due = math.min(ticket.endsAt, ends) })
    else
      changeTicket(ticket, { status = 'away', due = math.min(ticket.endsAt, nowMs + AWAY_MS) })
    end
  end
end

-- Notes that names cannot be reserved until then, since they may be about to be deleted (delete.lua).
local function closeUntil(ms)
  otherDue[REOPENS] = ms
end

-- Returns members and times of a sorted set that are due: {member, ms, member, ms, ...}.
local function membersDue(key)
  return redis.call('ZRANGE', key, '-inf', nowMs, 'BYSCORE', 'LIMIT', 0, MAX_DUE, 'WITHSCORES')
end

-- Handles one due member of a ticket.
local function handleMember(member)
  if member == REOPENS then
    otherDue[member] = false
    planAgain()
    return
  end
  local ticket = ticketAt(member)
  if ticket then
    handleDue(ticket)
  else
    otherDue[member] = false
  end
end

-- Carries out what is due. `endLease(member)` ends a lease (expiry.lua). Returns true if that is all, and the queue is
-- settled; false if later calls must go on.
local function catchUp(endLease)
  work = 0
  if (state.isUnsettled or state.replanned) and not settle() then
    return false
  end
  if tenant.nextDue > nowMs and state.nextDue > nowMs then
    return true
  end
  local leases = tenant.nextDue <= nowMs and membersDue(dueKey) or {}
  local waits = state.nextDue <= nowMs and membersDue(waitsKey) or {}
  local isAll = #leases < 2 * MAX_DUE and #waits < 2 * MAX_DUE
  local lastLease = #leases == 2 * MAX_DUE and tonumber(leases[#leases]) or math.huge
  local lastWait = #waits == 2 * MAX_DUE and tonumber(waits[#waits]) or math.huge
  local i, j = 1, 1
  while leases[i] or waits[j] do
    local time = math.min(tonumber(leases[i + 1] or math.huge), tonumber(waits[j + 1] or math.huge))
    if time > lastLease or time > lastWait then
      return false
    end
    while leases[i] and tonumber(leases[i + 1]) == time do
      endLease(leases[i])
      i = i + 2
    end
    while waits[j] and tonumber(waits[j + 1]) == time do
      handleMember(waits[j])
      j = j + 2
    end
    if not settle() then
      return false
    elseif work > MAX_DUE_WORK and (leases[i] or waits[j]) then
      return false
    end
  end
  return isAll
end
