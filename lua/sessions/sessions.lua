-- Sessions (docs/specification.md#sessions), as this call sees and changes them: a caller keeps all reservations of a
-- session by one heartbeat, and loses all of them together. prepareSessions() makes this module tenant.sessions, if the
-- tenant has sessions or the call begins one (tenant.mayBegin, which the verb sets before). Fields:
--   count, nextDue   number of sessions; ms: none is due before this
--   isClearing       true if some holds of a session that is over were released, and others are left
-- A session is a table:
--   id, token   22 characters each, UUIDs like release tokens; the token is needed to renew and to end it
--   requester   whose reservations it keeps
--   ttlMs, createdAt, expiresAt   how long it lasts after it began or was renewed; ms; ms
--   isEnded     true if its caller has ended it, at expiresAt
--   isOver      true if it was ended, or some of its holds have ended: then no step of Redis's clock brings it back
--   label       label of the key that began it; once it has ended, of the key that ended it
--   actor       who ended it (frame/admission.lua); nil if nobody has
--   holds       number of its reservations, nil if it was not counted
-- Redis has it in three keys. sessions is a hash: id -> record, packed like those of reservations (slots/codec.lua);
-- its form is 1, or 2 once it has ended; then the actor follows. sessionsDue is a sorted set: id -> ms at which it is
-- due, 0 if it is over. sessionHolds is a sorted set with the member <id>\n<slot> for each reservation, in byte order.
-- The tenant's field `sessions` has their number, the time at which one is next due, and 1 if isClearing, else 0.
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local expiry = require('reservations/expiry')
local keys = require('frame/keys')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local sessions = {}
local SESSION = '>BsI4I6I6c22s'
local MAX_HOLDS = 50000
-- known[id]: the session, false if there is none. changedSessions[id]: true if it is to be written or removed.
local known, changedSessions
-- Members of sessionHolds to remove, beside those of the reservations that this call ends.
local orphans

-- Returns a session, false if there is none. `stored` is its record, nil to read it.
function sessions.at(id, stored)
  local session = known[id]
  if session == nil then
    work.spend(3)
    local packed = stored or redis.call('HGET', keys.sessions, id)
    session = false
    if packed then
      local form, requester, ttlMs, createdAt, expiresAt, token, label, after = struct.unpack(SESSION, packed)
      session = {
        id = id, requester = requester, ttlMs = ttlMs, createdAt = createdAt, expiresAt = expiresAt, token = token,
        label = label, isEnded = form == 2, isOver = form == 2,
        actor = after <= #packed and struct.unpack('s', packed, after) or nil,
      }
    end
    known[id] = session
  end
  return session
end

-- Returns a session for a requester to use, false if there is none. May set tenant.foreign.
function sessions.of(id, owner)
  local session = sessions.at(id)
  if not session or session.isEnded then
    return false
  elseif session.requester ~= owner then
    tenant.foreign = 'This session belongs to another requester.'
  end
  return session
end

-- Returns the number of a session's reservations.
function sessions.holdsOf(session)
  if not session.holds then
    work.spend(3)
    session.holds = redis.call('ZLEXCOUNT', keys.sessionHolds, '[' .. session.id .. '\n', '(' .. session.id .. '\11')
  end
  return session.holds
end

-- Explains why a session may not have more reservations; false if it may.
function sessions.whyFull(session)
  return sessions.holdsOf(session) >= MAX_HOLDS and
    string.format('NOT_VALID: a session holds at most %d reservations', MAX_HOLDS)
end

-- Stores a session.
function sessions.put(session)
  if not known[session.id] then
    sessions.count = sessions.count + 1
  end
  known[session.id], changedSessions[session.id] = session, true
  session.dueAt = session.isOver and 0 or session.expiresAt
  sessions.nextDue = math.min(sessions.nextDue, session.dueAt)
end

-- Writes the members of the reservations that sessions got and lost.
local function writeHolds()
  local add, remove = {}, orphans
  for _, slot in ipairs(slotMap.changed) do
    local before, record = slotMap.original[slot], slotMap.records[slot]
    local sessionBefore, session = before and before.session, record and record.session
    if sessionBefore ~= session then
      if sessionBefore then
        remove[#remove + 1] = sessionBefore .. '\n' .. slot
      end
      if session then
        add[#add + 1] = 0
        add[#add + 1] = session .. '\n' .. slot
      end
    end
  end
  bytes.callWith('ZREM', keys.sessionHolds, remove)
  bytes.callWith('ZADD', keys.sessionHolds, add)
end

-- Returns a session as it is stored.
local function packSession(session)
  local packed = struct.pack(
    SESSION, session.isEnded and 2 or 1, session.requester, session.ttlMs, session.createdAt, session.expiresAt,
    session.token, session.label
  )
  return session.actor and packed .. struct.pack('s', session.actor) or packed
end

-- Writes the sessions that changed.
local function writeSessions()
  local set, del, due = {}, {}, {}
  for id in pairs(changedSessions) do
    local session = known[id]
    if session then
      set[#set + 1] = id
      set[#set + 1] = packSession(session)
      due[#due + 1] = session.dueAt
      due[#due + 1] = id
    else
      del[#del + 1] = id
    end
  end
  bytes.callWith('HSET', keys.sessions, set)
  bytes.callWith('HDEL', keys.sessions, del)
  bytes.callWith('ZADD', keys.sessionsDue, due)
  bytes.callWith('ZREM', keys.sessionsDue, del)
  sessions.nextDue = tonumber(redis.call('ZRANGE', keys.sessionsDue, 0, 0, 'WITHSCORES')[2] or math.huge)
end

-- Adds the tenant's fields to write: field, value, ...
function sessions.write(fields)
  writeHolds()
  if next(changedSessions) then
    writeSessions()
  end
  if sessions.count == 0 then
    if tenant.sessionsText then
      redis.call('HDEL', keys.tenant, 'sessions')
      tenant.setFlag(tenant.HAS_SESSIONS, false)
    end
    return
  end
  local nextDue = sessions.nextDue == math.huge and 'inf' or string.format('%.0f', sessions.nextDue)
  local text = string.format('%d %s %d', sessions.count, nextDue, sessions.isClearing and 1 or 0)
  if text ~= tenant.sessionsText then
    fields[#fields + 1] = 'sessions'
    fields[#fields + 1] = text
    tenant.setFlag(tenant.HAS_SESSIONS, true)
  end
end

-- Reservations of sessions that are over are ended in pieces: until none is left, every call of the tenant ends some
-- of them before anything else, and answers AGAIN. So no caller sees one of them after another has ended. These limit
-- one call: holds ended, and work spent on ending them.
local MAX_CLEARED, MAX_CLEARING_WORK = 100, 1500
local cleared

-- Ends the hold that a member stands for.
local function clearHold(session, member)
  local slot = string.sub(member, #session.id + 2)
  local held = slotMap.recordAt(slot)
  cleared = cleared + 1
  if held and held.session == session.id then
    expiry.endLease(nil, held, session.isEnded and session)
  else
    orphans[#orphans + 1] = member
  end
end

-- Ends some holds of a session. Returns true if none is left.
local function clearHolds(session)
  local STEP = 20
  local lower = '[' .. session.id .. '\n'
  repeat
    local upper = '(' .. session.id .. '\11'
    local members = redis.call('ZRANGE', keys.sessionHolds, lower, upper, 'BYLEX', 'LIMIT', 0, STEP)
    work.spend(3 + #members / 4)
    local slots = {}
    for i, member in ipairs(members) do
      slots[i] = string.sub(member, #session.id + 2)
    end
    slotMap.readSlots(slots)
    for _, member in ipairs(members) do
      if cleared >= MAX_CLEARED or work.done > MAX_CLEARING_WORK then
        return false
      end
      clearHold(session, member)
    end
    lower = #members > 0 and '(' .. members[#members]
  until #members < STEP
  -- Reservations that this call has granted are not stored yet.
  for _, slot in ipairs(slotMap.changed) do
    if slotMap.records[slot] and slotMap.records[slot].session == session.id then
      if cleared >= MAX_CLEARED or work.done > MAX_CLEARING_WORK then
        return false
      end
      clearHold(session, session.id .. '\n' .. slot)
    end
  end
  return true
end

-- Ends holds of a session that is over. Returns true if none is left.
function sessions.clear(id)
  local session = sessions.at(id)
  local isAll = not session or
    (not tenant.queue or tenant.queue.endTicketsOf(id, MAX_CLEARING_WORK)) and clearHolds(session)
  sessions.isClearing = not isAll
  if isAll then
    sessions.count = sessions.count - (session and 1 or 0)
    known[id], changedSessions[id] = false, true
    work.spend(5)
  else
    session.isOver = true
    sessions.put(session)
  end
  return isAll
end

-- Does so for all sessions that are due.
function sessions.clearDue()
  local due = redis.call('ZRANGE', keys.sessionsDue, '-inf', clock.nowMs(), 'BYSCORE', 'LIMIT', 0, MAX_CLEARED)
  for _, id in ipairs(due) do
    if not sessions.clear(id) or work.done > MAX_CLEARING_WORK then
      return false
    end
  end
  return #due < MAX_CLEARED
end

-- Reads the state of the tenant's sessions. Every verb that reads reservations calls it.
function sessions.prepareSessions()
  sessions.count, sessions.nextDue, sessions.isClearing = 0, math.huge, false
  if tenant.sessionsText then
    local count, nextDue, clearing = string.match(tenant.sessionsText, '^(%d+) (%S+) (%d)$')
    sessions.count, sessions.nextDue, sessions.isClearing = tonumber(count), tonumber(nextDue), clearing == '1'
  end
  if tenant.sessionsText or tenant.mayBegin then
    tenant.sessions = sessions
  end
end

-- Returns true if a session has reservations or tickets that a key with a prefix may not change. It looks at a limited
-- number of tickets.
local function isForeign(session)
  local MAX_SEARCHED_TICKETS = 200
  local within, waiters = session.id .. '\n' .. tenant.prefix, '\8' .. session.id .. '\n'
  work.spend(3)
  local holds = redis.call('ZLEXCOUNT', keys.sessionHolds, '[' .. within, '(' .. within .. '\255')
  if holds < tenant.sessions.holdsOf(session) then
    return true
  end
  local queue = tenant.openQueue()
  local order = queue and queue.nthOf(waiters, 1)
  for n = 1, MAX_SEARCHED_TICKETS do
    if not order then
      return false
    end
    local ticket = queue.ticketAt(order)
    if ticket and not tenant.mayChangeAll(ticket.items) then
      return true
    end
    order = queue.nthOf(waiters, n + 1)
  end
  return true
end

-- Finds the session that a caller renews or ends. Takes its id and its token, and the only requester that the caller
-- may act for, '' any. Returns false if there is no such session, or the token is wrong. Sets tenant.foreign if the
-- caller may not change it.
function sessions.sessionFound(id, token, subject)
  local session = tenant.sessions and sessions.at(id)
  if not session or session.token ~= token then
    return false
  end
  if tenant.mayChange and isForeign(session) then
    tenant.foreign = 'This session keeps what does not start with "' .. tenant.prefix .. '".'
  end
  return sessions.of(id, subject == '' and session.requester or subject)
end

function sessions.begin()
  -- Few calls have to do with sessions: without one, the empty tables of the call before serve again.
  if not known or next(known) or next(changedSessions) or orphans[1] then
    known, changedSessions, orphans = {}, {}, {}
  end
  cleared = 0
end

return sessions
