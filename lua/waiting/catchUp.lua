-- Carries out everything that was due before this call, in order of time: the ends of leases, of waits and of
-- attendance, and of sessions (docs/specification.md#waiting-lifetimes). The queue is settled after each due time, as
-- if a script had run then.
local active = require('waiting/active')
local beats = require('waiting/beats')
local callers = require('waiting/callers')
local clock = require('frame/clock')
local grant = require('waiting/grant')
local keys = require('frame/keys')
local settle = require('waiting/settle')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local catchingUp = {}

-- The member of the due times that stands for the end of a pending deletion (verbs/definitions/delete.lua).
local REOPENS = '\1'

-- Notes that names cannot be reserved until then, since they may be about to be deleted (verbs/definitions/delete.lua).
function catchingUp.closeUntil(ms)
  catchingUp.otherDue[REOPENS] = ms
end

local MAX_DUE, MAX_DUE_WORK = 100, 1500
-- Time after which a ticket that nobody attends ends.
local AWAY_MS = 600000

-- Returns when the attendance of a ticket ends, as far as is known now: claimMs after its calls ended, or after their
-- instances were last heard of.
local function attendedUntil(ticket)
  local beat = 0
  callers.eachInstance(ticket.instance, function(instance)
    beat = math.max(beat, beats.beats[instance] or 0)
  end)
  return math.min(ticket.heldUntil, beat + beats.BEAT_LAPSES_MS) + ticket.claimMs
end

-- Ends a wait that has elapsed, with the result that a try would have now. The queue is settled, so the
-- request cannot be carried out, unless its requester has it all.
local function elapse(ticket)
  local mark, fence = #slotMap.journal, tenant.fence
  local done, place, reply = grant.carryOut(ticket)
  if done then
    slotMap.undo(mark)
    tenant.fence = fence
    if not grant.isMadeIn(done) then
      return grant.endTicket(ticket, 'ALREADY_HAD')
    end
    place, reply = 0, { 'NOT_AVAILABLE', 'NOT_AVAILABLE' }
  end
  grant.endTicket(ticket, 'ELAPSED', reply[1], reply[2], place)
end

-- Carries out what is due of a ticket at a time.
local function handleDue(ticket, time)
  if ticket.due > time then
    return
  elseif ticket.status == 'granted' then
    tickets.changeTicket(ticket, { status = 'ended' })
  elseif ticket.endsAt <= time or ticket.status == 'away' then
    elapse(ticket)
  elseif ticket.status == 'attended' then
    local ends = attendedUntil(ticket)
    if ends > time then
      tickets.changeTicket(ticket, { due = math.min(ticket.endsAt, ends) })
    else
      tickets.changeTicket(ticket, { status = 'away', due = math.min(ticket.endsAt, ends + AWAY_MS) })
    end
  end
end

-- Returns members and times of a sorted set that are due: {member, ms, member, ms, ...}.
local function membersDue(key)
  return redis.call('ZRANGE', key, '-inf', clock.nowMs(), 'BYSCORE', 'LIMIT', 0, MAX_DUE, 'WITHSCORES')
end

-- Handles the member at a place of a list of membersDue(). If its ticket is due again by now, adds it to the list.
local function handleMember(waits, place)
  local member, time = waits[place], tonumber(waits[place + 1])
  if member == REOPENS then
    catchingUp.otherDue[member] = false
    settle.planAgain()
    return
  end
  local ticket = tickets.ticketAt(member)
  if not ticket then
    catchingUp.otherDue[member] = false
    return
  end
  handleDue(ticket, time)
  if ticket.status ~= 'ended' and ticket.due > time and ticket.due <= clock.nowMs() then
    local at = place + 2
    while waits[at] and tonumber(waits[at + 1]) < ticket.due do
      at = at + 2
    end
    table.insert(waits, at, ticket.due)
    table.insert(waits, at, member)
  end
end

-- Carries out what is due. `endLease(member)` ends a lease (reservations/expiry.lua). Returns true if that is all, and
-- the queue is settled; false if later calls must go on.
function catchingUp.catchUp(endLease)
  work.done = 0
  local sessions = tenant.sessions
  -- All reservations of a session end at one time: the queue is settled once none is left.
  local isClearing = sessions and sessions.isClearing
  if (state.isUnsettled or state.replanned) and not isClearing and not settle.settle() then
    return false
  end
  local isSessionDue = sessions and sessions.nextDue <= clock.nowMs()
  if tenant.nextDue > clock.nowMs() and state.nextDue > clock.nowMs() and not isSessionDue then
    return true
  end
  local leases = tenant.nextDue <= clock.nowMs() and membersDue(keys.due) or {}
  local waits = state.nextDue <= clock.nowMs() and membersDue(keys.waits) or {}
  local over = isSessionDue and membersDue(keys.sessionsDue) or {}
  local isAll = #leases < 2 * MAX_DUE and #waits < 2 * MAX_DUE and #over < 2 * MAX_DUE
  local lastLease = #leases == 2 * MAX_DUE and tonumber(leases[#leases]) or math.huge
  local lastWait = #waits == 2 * MAX_DUE and tonumber(waits[#waits]) or math.huge
  local lastOver = #over == 2 * MAX_DUE and tonumber(over[#over]) or math.huge
  local i, j, k = 1, 1, 1
  while leases[i] or waits[j] or over[k] do
    local time = tonumber(leases[i + 1] or math.huge)
    time = math.min(time, tonumber(waits[j + 1] or math.huge), tonumber(over[k + 1] or math.huge))
    if time > lastLease or time > lastWait or time > lastOver then
      return false
    end
    while leases[i] and tonumber(leases[i + 1]) == time do
      endLease(leases[i])
      i = i + 2
    end
    while over[k] and tonumber(over[k + 1]) == time do
      if not sessions.clear(over[k]) then
        active.touchChanges()
        active.saveActive()
        return false
      end
      k = k + 2
    end
    while waits[j] and tonumber(waits[j + 1]) == time do
      handleMember(waits, j)
      j = j + 2
    end
    if not settle.settle() then
      return false
    elseif work.done > MAX_DUE_WORK and (leases[i] or waits[j] or over[k]) then
      return false
    end
  end
  return isAll
end

function catchingUp.open()
  -- otherDue[member]: due times to write, of members that are no tickets; false to remove one.
  catchingUp.otherDue = {}
end

return catchingUp
