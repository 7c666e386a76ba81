-- Ends tickets that are not granted (docs/specification.md#waiting-lifetimes): their time is over, their callers
-- leave them, or their requesters cancel them.
local admission = require('frame/admission')
local agenda = require('waiting/agenda')
local ceasing = require('waiting/ceasing')
local changes = require('waiting/changes')
local booked = require('bookings/booked')
local clock = require('frame/clock')
local codec = require('slots/codec')
local endings = require('waiting/endings')
local events = require('events/events')
local grant = require('waiting/grant')
local keys = require('frame/keys')
local lists = require('waiting/lists')
local releasing = require('reservations/release')
local settle = require('waiting/settle')
local slotMap = require('slots/slots')
local starts = require('bookings/starts')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local lifetimes = {}

-- The member of the due times that stands for the end of a pending deletion (verbs/delete.lua).
local REOPENS = '\1'

-- Notes that names cannot be reserved until then, since they may be about to be deleted (verbs/delete.lua).
function lifetimes.closeUntil(ms)
  lifetimes.otherDue[REOPENS] = ms
end

local MAX_DUE, MAX_DUE_WORK = 100, 1500
-- Time after which a ticket that nobody attends ends.
local AWAY_MS = 600000

-- Ends a wait that has elapsed, with the result that a try would have now. The queue is settled, so the
-- request cannot be carried out, unless its requester has it all.
local function elapse(ticket)
  local mark, fence = #slotMap.journal, tenant.fence
  local done, place, reply = grant.carryOut(ticket)
  if done then
    slotMap.undo(mark)
    tenant.fence = fence
    if not grant.isMadeIn(done) then
      return endings.endTicket(ticket, 'ALREADY_HAD')
    end
    place, reply = 0, { 'NOT_AVAILABLE', 'NOT_AVAILABLE' }
  end
  endings.endTicket(ticket, 'ELAPSED', reply[1], reply[2], place)
end

-- Carries out what is due of a ticket at a time.
local function handleDue(ticket, time)
  if ticket.due > time then
    return
  elseif ticket.status == 'granted' then
    agenda.changeTicket(ticket, { status = 'ended' })
  elseif ticket.endsAt <= time or ticket.status == 'away' then
    elapse(ticket)
  elseif ticket.status == 'attended' then
    local ends = state.polledUntil(ticket.instance) + ticket.claimMs
    if ends > time then
      agenda.changeTicket(ticket, { due = math.min(ticket.endsAt, ends) })
    else
      agenda.changeTicket(ticket, { status = 'away', due = math.min(ticket.endsAt, ends + AWAY_MS) })
    end
  end
end

-- Returns the members of a sorted set that are due: {member, ms, member, ms, ..., at = the place of the next one to
-- handle, last = ms up to which these are all}. `nextDue` is when the first one is.
local function dueIn(key, nextDue)
  local due = nextDue <= clock.nowMs() and
    redis.call('ZRANGE', key, '-inf', clock.nowMs(), 'BYSCORE', 'LIMIT', 0, MAX_DUE, 'WITHSCORES') or {}
  due.at, due.last = 1, #due == 2 * MAX_DUE and tonumber(due[#due]) or math.huge
  return due
end

local function dueOfBookings()
  return dueIn(keys.bookingsDue, booked.areAny() and tenant.nextDue or math.huge)
end

local function dueOfSessions(sessions)
  return dueIn(keys.sessionsDue, sessions and sessions.nextDue or math.huge)
end

-- Returns when the next member of a list is due, in ms.
local function timeOf(due)
  return tonumber(due[due.at + 1] or math.huge)
end

-- Calls handle(member) for each member of a list that is due at a time.
local function handleAll(due, time, handle)
  while timeOf(due) == time do
    handle(due[due.at])
    due.at = due.at + 2
  end
end

-- Clears the sessions of a list that are due at a time. Returns false if some are left.
local function clearAll(due, time)
  while timeOf(due) == time do
    if not tenant.sessions.clear(due[due.at]) then
      return false
    end
    due.at = due.at + 2
  end
  return true
end

-- Handles a member of the due times of tickets. If its ticket is due again by now, adds it to the list.
local function handleWait(waits, member)
  local time = timeOf(waits)
  if member == REOPENS then
    lifetimes.otherDue[member] = false
    settle.planAgain()
    return
  end
  local watched = ceasing.watchedBy(member)
  local ticket = tickets.ticketAt(watched or member)
  if watched or not ticket then
    lifetimes.otherDue[member] = false
    return ticket and ceasing.stir(ticket)
  end
  handleDue(ticket, time)
  if ticket.status ~= 'ended' and ticket.due > time and ticket.due <= clock.nowMs() then
    local at = waits.at + 2
    while waits[at] and tonumber(waits[at + 1]) < ticket.due do
      at = at + 2
    end
    table.insert(waits, at, ticket.due)
    table.insert(waits, at, member)
  end
end

-- Carries out everything that was due before this call, in order of time: the ends of leases and of sessions, what is
-- due of bookings, and the ends of waits and of attendance. The queue is settled after each due time, as if a script
-- had run then.
-- `endLease(member)` ends a lease (reservations/expiry.lua). Returns true if that is all, and the queue is settled;
-- false if later calls must go on.
function lifetimes.catchUp(endLease)
  work.done = 0
  local sessions = tenant.sessions
  -- All reservations of a session end at one time: the queue is settled once none is left.
  local isClearing = sessions and sessions.isClearing
  if (state.isUnsettled or state.replanned) and not isClearing and not settle.settle() then
    return false
  end
  local leases, moments = dueIn(keys.due, tenant.nextDue), dueOfBookings()
  local waits, over = dueIn(keys.waits, state.nextDue), dueOfSessions(sessions)
  local last = math.min(leases.last, waits.last, over.last, moments.last)
  local time = math.min(timeOf(leases), timeOf(waits), timeOf(over), timeOf(moments))
  while time < math.huge do
    if time > last then
      return false
    end
    handleAll(leases, time, function(member)
      endLease(member)
    end)
    if not clearAll(over, time) then
      changes.touch()
      return false
    end
    handleAll(moments, time, function(member)
      starts.retry()
      starts.carryOut(member)
    end)
    handleAll(waits, time, function(member)
      handleWait(waits, member)
    end)
    -- Delayed bookings come before tickets.
    starts.retry()
    time = math.min(timeOf(leases), timeOf(waits), timeOf(over), timeOf(moments))
    if not settle.settle() or work.done > MAX_DUE_WORK and time < math.huge then
      return false
    end
  end
  return last == math.huge
end

-- Releases the reservations of a grant that nobody has claimed.
local function takeBack(ticket)
  for slot in string.gmatch(ticket.slots, '[^\n]+') do
    local reservation = slotMap.recordAt(slot)
    if reservation and reservation.token == codec.UNCLAIMED and reservation.owner == ticket.requester then
      releasing.release(reservation)
      events.emit('UNRESERVED', {
        requestType = 'UNRESERVE', resource = reservation.requestedName, requester = reservation.owner,
        explanation = 'RELINQUISHED', resourceType = reservation.type, apiKeyLabel = tenant.keyLabel,
        actor = admission.actorName(reservation.owner),
      })
    end
  end
end

-- Ends a ticket because its requester cancels it.
local function cancelTicket(ticket)
  if ticket.status == 'granted' then
    takeBack(ticket)
    agenda.changeTicket(ticket, { status = 'ended' })
    endings.wake(ticket, 'ENDED\tNOT_AVAILABLE\tNOT_AVAILABLE: cancelled\t-1')
  else
    endings.endTicket(ticket, 'CANCELLED', 'NOT_AVAILABLE', 'NOT_AVAILABLE: cancelled', -1)
  end
end

-- Ends every ticket of a requester that names one of `places`, granted and unclaimed ones too, and calls found() with
-- the first of these. A key with a prefix leaves those that name anything else. Starts after a cursor, '' at first.
-- Returns the next cursor once `work` is above a limit, nil at the end.
function lifetimes.cancel(requester, places, cursor, limit, found)
  local STEP = 50
  local prefix = '\2' .. requester .. '\n'
  local last = state.fromHex(cursor)
  repeat
    local lower = (last == '' and '[' or '(') .. prefix .. last
    local rests = redis.call('ZRANGE', keys.queues, lower, '(\2' .. requester .. '\11', 'BYLEX', 'LIMIT', 0, STEP)
    work.spend(3 + #rests / 4)
    local orders = {}
    for i, member in ipairs(rests) do
      rests[i] = string.sub(member, #prefix + 1)
      orders[i] = string.sub(member, -8)
    end
    tickets.readTickets(orders)
    for _, rest in ipairs(rests) do
      local ticket = tickets.ticketAt(rest)
      local place = ticket and lists.placeOf(ticket, places)
      work.spend(1)
      if place and not (tenant.mayChange and not tenant.mayChangeAll(ticket.items)) then
        found(place)
        cancelTicket(ticket)
      end
      last = rest
      if work.done > limit then
        return state.toHex(last)
      end
    end
  until #rests < STEP
end

-- Notes that an instance has no long poll for a ticket any more. Unless another one that is alive does, its attendance
-- begins to end.
function lifetimes.leave(id, instance)
  local ticket = tickets.ticketAt(struct.pack('>I7', tonumber(id)))
  local instances = ticket and ticket.status ~= 'granted' and state.withoutCalls(ticket.instance, instance)
  if not instances then
    return
  end
  local fields = { instance = instances }
  if ticket.status == 'attended' and ticket.session == '' then
    fields.due = math.min(ticket.due, state.polledUntil(instances) + ticket.claimMs)
  end
  agenda.changeTicket(ticket, fields)
end

function lifetimes.open()
  -- otherDue[member]: due times to write, of members that are no tickets; false to remove one.
  lifetimes.otherDue = {}
end

return lifetimes
