-- The plain way of a request for a plain name that joins the queue, since somebody holds the name (waiting/ask.lua).
local codec = require('slots/codec')
local events = require('events/events')
local lines = require('plain/lines')
local plain = require('plain/plain')
local queueState = require('plain/queueState')
local reservationEvents = require('events/reservations')
local state = require('waiting/state')
local tenant = require('plain/tenant')
local ticketForm = require('waiting/ticketForm')
local char, format, match, min = string.char, string.format, string.match, math.min

-- Returns until when the ticket of a call is attended without another beat of its instance, in ms; nil if the call is
-- no long poll, or a beat has to be noted first.
local function attendedUntil(instance, pollMs, nowMs)
  local beat = tonumber(match('\n' .. tenant.beats(), '\n' .. instance .. ' (%d+)'))
  return beat and pollMs > 0 and nowMs >= beat and nowMs < beat + state.MIN_APART_MS and
    min(nowMs + pollMs, beat + state.BEAT_LAPSES_MS)
end

-- Reads the only item of a request. Returns the ticket that it may get (waiting/ticketForm.lua); nil if it must go the
-- general way.
local function ticketOf(args, nowMs)
  local ttlMs, type, waitMs, priority, claimMs = match(args[6], '^(%d+)\n([^\n]*)\n(%d+) (%-?%d+) (%d+)\n\n$')
  local instance, pollMs = match(args[7], '^(%w+) (%d+)$')
  local attended = ttlMs and instance and attendedUntil(instance, tonumber(pollMs), nowMs)
  if not attended then
    return nil
  end
  local endsAt = nowMs + waitMs
  return {
    requester = args[4], label = tenant.label, since = nowMs, endsAt = endsAt, claimMs = tonumber(claimMs),
    instance = format('%s:%d', instance, nowMs + pollMs), due = min(endsAt, attended + claimMs),
    priority = tonumber(priority), ttlMs = tonumber(ttlMs), type = type,
  }
end

-- Writes a ticket. Takes its number, packed and not, its order, and the name that it waits for.
local function write(keys, number, packed, ticket, order, name)
  local own = '\2' .. ticket.requester .. '\n' .. ticketForm.digestOfName(ticket.requester, name) .. order
  local all, line = lines.membersOf(name, order)
  local bytes = struct.pack('>I7', number)
  tenant.setQueue(queueState.join(number, ticket.due))
  redis.call('HSET', keys.tickets, bytes, packed)
  redis.call('ZADD', keys.queues, '0', own, '0', all, '0', line)
  redis.call('ZADD', keys.waits, format('%d', ticket.due), bytes)
  tenant.noteWritten(5, #bytes + #packed + #own + #all + #line + #bytes)
end

-- Returns the order of the first ticket in the line of a name that somebody holds, '' none. Takes the record of the
-- name. Returns nil if a requester may not join the line this way.
local function lineOf(keys, name, packed, requester)
  local holder = codec.unpackAlone(packed, name)
  if not holder or holder == requester then
    return nil
  elseif not queueState.due then
    return ''
  end
  local first = lines.firstIn(keys, name)
  if first and not lines.ofRequester(keys, requester, 1)[1] then
    return first
  end
end

-- Returns the number of tickets in the line of a name; before an order, if one is given.
local function countIn(keys, name, order)
  local line = name .. '\nw'
  return redis.call('ZLEXCOUNT', keys.queues, '[' .. line, '(' .. (order and line .. order or name .. '\nx'))
end

-- Returns what tells the holder of a name that somebody waits (waiting/tellHolder.lua): a table of the record to write,
-- and of what the event tells; nil if it was told before, or nobody wants to know. Takes the record, and the number of
-- tickets that wait then, nil if that has to be read.
local function wantedOf(keys, name, packed, number)
  local owner, _, expiresAt, type, label, fence, at = codec.unpackAlone(packed, name)
  if codec.isTold(packed, at) or not events.isWanted('WANTED', owner) then
    return nil
  end
  local holder = { requestedName = name, owner = owner, type = type, label = label, fence = fence, details = '' }
  return {
    record = codec.withTold(packed, at), holder = holder, expiresAt = expiresAt,
    waiting = number or countIn(keys, name) + 1,
  }
end

-- Adds the events of a new ticket. Takes what wantedOf() returned.
local function tell(keys, name, ticket, wanted)
  if events.isWanted('WAITING', ticket.requester) then
    reservationEvents.addWait('WAITING', 'WAITING', ticket.label, name, ticket.requester, ticket.type)
  end
  if wanted then
    redis.call('HSET', keys.slots, name, wanted.record)
    tenant.note(name, wanted.record, 0)
    reservationEvents.emitHeld('WANTED', 'WAIT', 'WAITING', wanted.holder, wanted.expiresAt, wanted.waiting)
  end
end

-- Returns the text of an item that waits (waiting/answer.lua).
local function textOf(number, ahead, name, nowMs, endsAt)
  local explanation = ahead == 0 and 'WAITING: you are next' or format('WAITING: %d before you', ahead)
  return 'WAITING\n' .. explanation .. format('\n%d\n%d\n', number, ahead) .. name ..
    format('\n%d\n%d\n', nowMs, endsAt)
end

-- Lets the only item of a request wait. Returns its text; or nil, and true if the name is free.
return function(keys, args, nowMs, nowUs)
  local name = args[3]
  local packed = lines.arePlain(keys, name) and (redis.call('HGET', keys.slots, name) or '')
  if not packed or packed == '' then
    return nil, packed == ''
  end
  local ticket = ticketOf(args, nowMs)
  local first = ticket and tenant.mayWait(ticket.due) and lineOf(keys, name, packed, ticket.requester)
  if not first then
    return nil
  end
  local number = queueState.nextNumber(nowUs)
  local order = char(100 - ticket.priority) .. struct.pack('>I7', number)
  local ahead = first == '' and 0 or countIn(keys, name, order)
  local wanted = plain.isHeard and wantedOf(keys, name, packed, first == '' and 1 or nil)
  write(keys, number, ticketForm.pack(ticket, name), ticket, order, name)
  if plain.isHeard then
    tell(keys, name, ticket, wanted)
  end
  return textOf(number, ahead, name, nowMs, ticket.endsAt)
end
