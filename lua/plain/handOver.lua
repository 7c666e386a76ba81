-- The plain way of a release that hands a plain name to the first ticket of its queue (waiting/handOver.lua). Only
-- attended tickets stand there that wait for the name alone, and none of them was seen as next: so the first one is the
-- next, no turn of another matters, and nothing is left to settle.
local codec = require('slots/codec')
local events = require('events/events')
local lines = require('plain/lines')
local plain = require('plain/plain')
local queueState = require('plain/queueState')
local reservationEvents = require('events/reservations')
local state = require('waiting/state')
local tenant = require('plain/tenant')
local ticketForm = require('waiting/ticketForm')
local find, format, match, sub = string.find, string.format, string.match, string.sub

-- Returns the ticket that gets a name if its owner releases it (waiting/ticketForm.lua), with its order, its member by
-- its requester, and the release token of its call. `calls` are the calls that the instance names. Returns nil if the
-- request must go the general way.
local function heirOf(keys, name, owner, calls)
  local order = lines.firstIn(keys, name)
  local packed = (order or '') ~= '' and redis.call('HGET', keys.tickets, sub(order, 2))
  local ticket = packed and ticketForm.unpack(packed, name)
  if not ticket or ticket.ttlMs < state.MIN_LEASE_MS or ticket.requester == owner then
    return nil
  end
  ticket.order, ticket.id = order, ticketForm.idOf(order)
  local instance
  instance, ticket.token = match(calls, '^(%w+).*\n' .. ticket.id .. ' (%S+)')
  -- Other instances that have calls for it would have to be told.
  if not instance or not find(ticket.instance, '^' .. instance .. ':%d+$') then
    return nil
  end
  local own = lines.ofRequester(keys, ticket.requester, 2)
  ticket.member = own[1]
  -- Another ticket of its requester may get, or lose, something by this.
  return not own[2] and ticket or nil
end

-- Returns when a ticket is due that is not this one: digits, nil none.
local function dueWithout(keys, number)
  local first = redis.call('ZRANGE', keys.waits, '0', '1', 'WITHSCORES')
  return first[1] == number and first[4] or first[2]
end

-- Removes a ticket.
local function endTicket(keys, name, ticket)
  if queueState.isLastTicket() then
    redis.call('UNLINK', keys.tickets, keys.queues, keys.waits)
    redis.call('HDEL', keys.tenant, 'queue')
    tenant.setQueue(nil)
    return
  end
  local order = ticket.order
  local number = sub(order, 2)
  local due = dueWithout(keys, number)
  redis.call('HDEL', keys.tickets, number)
  redis.call('ZREM', keys.queues, ticket.member, lines.membersOf(name, order))
  redis.call('ZREM', keys.waits, number)
  tenant.setQueue(queueState.leave(due))
end

-- Adds the events of a release, and of the ticket that gets the name, with its fencing token and when its lease ends.
local function tell(name, owner, type, ticket, fence, expiresAt)
  local requester = ticket.requester
  if events.isWanted('UNRESERVED', owner) then
    reservationEvents.addReleased(tenant.label, name, owner, type, tenant.actor())
  end
  if events.isWanted('RESERVED', requester) then
    reservationEvents.addMade(ticket.label, name, requester, ticket.type, fence, expiresAt)
  end
  if events.isWanted('WAIT_ENDED', requester) then
    reservationEvents.addWait('WAIT_ENDED', 'ACQUIRED', ticket.label, name, requester, ticket.type)
  end
end

-- Releases the only item of a request, and hands its name over to a call that the request names. Returns the texts of
-- both, joined; nil if the request must go the general way.
return function(keys, args, nowMs)
  local name, owner = args[3], args[4]
  if not queueState.due or not lines.arePlain(keys, name) then
    return nil
  end
  local packed = redis.call('HGET', keys.slots, name)
  local holder, token, endsAt, type = codec.unpackAlone(packed or '', name)
  local ticket = holder == owner and token == args[5] and heirOf(keys, name, owner, args[6])
  if not ticket then
    return nil
  end
  local expiresAt, waited = nowMs + ticket.ttlMs, format('%d', nowMs - ticket.since)
  local fence, digits = tenant.pass(expiresAt), format('%d', expiresAt)
  local fenceText, details = format('%d', fence), '{"x":{"waited":' .. waited .. '}}'
  local record = codec.packSlot(
    ticket.requester, '', false, fence, nowMs, expiresAt, ticket.token, ticket.type, ticket.label, name, details
  )
  if plain.isHeard then
    tell(name, owner, type, ticket, fenceText, expiresAt)
  end
  endTicket(keys, name, ticket)
  redis.call('HSET', keys.slots, name, record)
  if expiresAt ~= endsAt then
    redis.call('ZADD', keys.due, digits, name)
  end
  tenant.note(name, record, expiresAt ~= endsAt and expiresAt or 0)
  plain.keepPast(keys, name, packed, 0, nowMs)
  return 'RELINQUISHED\n' .. name .. '\r' .. ticket.id .. '\nACQUIRED\nACQUIRED\n' .. fenceText .. '\n' .. digits ..
    '\n' .. ticket.token .. '\n' .. details .. '\n' .. waited
end
