-- Writes the changes of the queue.
local admission = require('frame/admission')
local bytes = require('limits/bytes')
local callers = require('waiting/callers')
local catchingUp = require('waiting/catchUp')
local changing = require('waiting/changeTicket')
local clock = require('frame/clock')
local codec = require('slots/codec')
local endings = require('waiting/endings')
local events = require('events/events')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local pages = require('waiting/page')
local releasing = require('reservations/release')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local write = {}

-- Returns the due times of the changed tickets to add and to remove, and writes their records.
local function writeTickets()
  local set, del, due, undue = {}, {}, {}, {}
  for _, ticket in ipairs(tickets.changedTickets) do
    local number = tickets.numberOf(ticket)
    if ticket.status == 'ended' then
      del[#del + 1] = number
      undue[#undue + 1] = number
    else
      set[#set + 1] = number
      set[#set + 1] = tickets.packTicket(ticket)
      due[#due + 1] = ticket.due
      due[#due + 1] = number
    end
  end
  bytes.callWith('HSET', keys.tickets, set)
  bytes.callWith('HDEL', keys.tickets, del)
  return due, undue
end

local function writeLines()
  local add, remove = {}, {}
  for prefix, writes in pairs(lines.lineWrites) do
    for rest, isIn in pairs(writes) do
      if isIn then
        add[#add + 1] = 0
        add[#add + 1] = prefix .. rest
      else
        remove[#remove + 1] = prefix .. rest
      end
    end
  end
  bytes.callWith('ZREM', keys.lines, remove)
  bytes.callWith('ZADD', keys.lines, add)
end

-- Notes when something of the tickets is next due. Takes the times that were written, each followed by its member,
-- and whether others were removed.
local function noteNextDue(due, isAnyRemoved)
  local earliest, isRaised = math.huge, isAnyRemoved
  for i = 1, #due, 2 do
    earliest = math.min(earliest, due[i])
  end
  for _, ticket in ipairs(tickets.changedTickets) do
    isRaised = isRaised or ticket.dueBefore and ticket.dueBefore <= state.nextDue and ticket.due > ticket.dueBefore
  end
  if earliest <= state.nextDue then
    state.nextDue = earliest
  elseif isRaised then
    state.nextDue = tonumber(redis.call('ZRANGE', keys.waits, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
end

-- Writes everything of the queue that this script changed, but for its state. Adds the fields of the tenant that have
-- it: field, value, ...
function write.writeQueue(fields)
  if state.tickets == 0 and state.granted == 0 then
    if tenant.queueText then
      redis.call('UNLINK', keys.tickets, keys.lines, keys.waits)
      redis.call('HDEL', keys.tenant, 'queue')
      tenantRecord.setFlag(tenantRecord.HAS_QUEUE, false)
    end
  else
    local due, undue = writeTickets()
    writeLines()
    for member, ms in pairs(catchingUp.otherDue) do
      if ms then
        due[#due + 1] = ms
        due[#due + 1] = member
      else
        undue[#undue + 1] = member
      end
    end
    bytes.callWith('ZADD', keys.waits, due)
    bytes.callWith('ZREM', keys.waits, undue)
    noteNextDue(due, #undue > 0)
    local text = state.stateText()
    if text ~= tenant.queueText then
      fields[#fields + 1] = 'queue'
      fields[#fields + 1] = text
      tenantRecord.setFlag(tenantRecord.HAS_QUEUE, true)
    end
  end
  if callers.areBeatsChanged then
    fields[#fields + 1] = 'beats'
    fields[#fields + 1] = callers.beatsText()
    tenantRecord.setFlag(tenantRecord.HAS_BEATS, true)
  end
end

-- Publishes the wake-ups to the instances that hold calls.
function write.publishWakes()
  for instance, list in pairs(endings.wakes) do
    redis.call('SPUBLISH', tenant.base .. 'wake:' .. instance, table.concat(list, '\n'))
  end
end

-- Returns the earliest time before which the tenant must be in the expiry index, in ms: no grant is made for less than
-- 5 s, so that grants made by any script are swept in time.
function write.earliestLease()
  local MIN_CLAIM_MS = 5000
  local earliest = state.tickets + state.granted > 0 and clock.nowMs() + MIN_CLAIM_MS or math.huge
  for _, ticket in ipairs(tickets.changedTickets) do
    if ticket.status ~= 'ended' then
      earliest = math.min(earliest, ticket.due)
    end
  end
  return earliest
end

-- Returns true if this script changed anything of the queue.
function write.isQueueChanged()
  return #tickets.changedTickets > 0 or lines.isLineWritten or callers.areBeatsChanged or
    next(catchingUp.otherDue) ~= nil or
    (state.stateText() or false) ~= tenant.queueText
end

-- The part of the queue that cancels tickets.

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
    changing.changeTicket(ticket, { status = 'ended' })
    endings.wake(ticket, 'ENDED\tNOT_AVAILABLE\tNOT_AVAILABLE: cancelled\t-1')
  else
    endings.endTicket(ticket, 'CANCELLED', 'NOT_AVAILABLE', 'NOT_AVAILABLE: cancelled', -1)
  end
end

-- Ends every ticket of a requester that names one of `places`, granted and unclaimed ones too, and calls found() with
-- the first of these. A key with a prefix leaves those that name anything else. Starts after a cursor, '' at first.
-- Returns the next cursor once `work` is above a limit, nil at the end.
function write.cancel(requester, places, cursor, limit, found)
  local STEP = 50
  local prefix = '\2' .. requester .. '\n'
  local last = state.fromHex(cursor)
  repeat
    local lower = (last == '' and '[' or '(') .. prefix .. last
    local rests = redis.call('ZRANGE', keys.lines, lower, '(\2' .. requester .. '\11', 'BYLEX', 'LIMIT', 0, STEP)
    work.spend(3 + #rests / 4)
    local orders = {}
    for i, member in ipairs(rests) do
      rests[i] = string.sub(member, #prefix + 1)
      orders[i] = string.sub(member, -8)
    end
    tickets.readTickets(orders)
    for _, rest in ipairs(rests) do
      local ticket = tickets.ticketAt(rest)
      local place = ticket and pages.placeOf(ticket, places)
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

-- The part of the queue that notes the ends of calls.

-- Notes that an instance holds no call for a ticket any more. Unless another one that is alive does, its attendance
-- begins to end.
function write.leave(id, instance)
  local ticket = tickets.ticketAt(struct.pack('>I7', tonumber(id)))
  if not ticket or ticket.status == 'granted' or ticket.heldUntil <= clock.nowMs() then
    return
  end
  local others = callers.withoutInstance(ticket.instance, instance)
  if #others == #ticket.instance then
    return
  end
  local fields = { instance = others }
  local isHeld = false
  callers.eachInstance(others, function(other)
    isHeld = isHeld or (callers.beats[other] or 0) + callers.BEAT_LAPSES_MS > clock.nowMs()
  end)
  if not isHeld then
    fields.instance, fields.heldUntil = ticket.instance, clock.nowMs()
  end
  if ticket.status == 'attended' and ticket.session == '' then
    fields.due = math.min(ticket.due, clock.nowMs() + ticket.claimMs)
  end
  changing.changeTicket(ticket, fields)
end

return write
