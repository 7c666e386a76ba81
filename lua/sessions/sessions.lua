-- Sessions as this script sees and changes them. A session is a table:
--   id          22 characters, a UUID like release tokens
--   requester   whose reservations it keeps
--   token       22 characters: needed to renew and to end it
--   ttlMs       how long it lasts after it began or was renewed
--   createdAt, expiresAt   ms
--   isEnded     true if its caller has ended it; it is due since then
--   label       label of the key that began it; once it has ended, of the key that ended it
--   actor       who ended it (frame/admission.lua); nil if nobody has
--   holds       number of its reservations, nil if it was not counted
-- Redis has it in three keys. sessions is a hash: id -> record, packed like those of reservations (slots/codec.lua),
-- its form being 1, or 2 once it has ended; then the actor follows.
-- sessionsDue is a sorted set: id -> ms at which it is due. sessionHolds is a sorted set with the member <id>\n<slot>
-- for each reservation, in byte order. The tenant's field `sessions` has their number, the time at which one is next
-- due, and 1 if isClearing, else 0.
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local expiry = require('reservations/expiry')
local keys = require('frame/keys')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')
local work = require('frame/work')
local sessions = {}
local SESSION = '>BsI4I6I6c22s'
local MAX_HOLDS = 50000
-- known[id]: the session, false if there is none. changedSessions[id]: true if it is to be written or removed.
local known, changedSessions

-- Members of sessionHolds to remove, beside those of the reservations that this script ends.
local orphans

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
        label = label, isEnded = form == 2, actor = after <= #packed and struct.unpack('s', packed, after) or nil,
      }
    end
    known[id] = session
  end
  return session
end

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

function sessions.whyFull(session)
  return sessions.holdsOf(session) >= MAX_HOLDS and string.format('NOT_VALID: a session holds at most %d reservations', MAX_HOLDS)
end

function sessions.put(session)
  if not known[session.id] then
    sessions.count = sessions.count + 1
  end
  known[session.id], changedSessions[session.id] = session, true
  sessions.nextDue = math.min(sessions.nextDue, session.expiresAt)
end

-- Writes the members of the reservations that sessions got and lost.
local function writeHolds()
  local add, remove = {}, orphans
  for _, slot in ipairs(slotMap.changed) do
    local before, record = slotMap.original[slot] and slotMap.original[slot].session, slotMap.records[slot] and slotMap.records[slot].session
    if before ~= record then
      if before then
        remove[#remove + 1] = before .. '\n' .. slot
      end
      if record then
        add[#add + 1] = 0
        add[#add + 1] = record .. '\n' .. slot
      end
    end
  end
  bytes.callWith('ZREM', keys.sessionHolds, remove)
  bytes.callWith('ZADD', keys.sessionHolds, add)
end

-- Adds the tenant's fields to write: field, value, ...
function sessions.write(fields)
  writeHolds()
  local set, del, due = {}, {}, {}
  for id in pairs(changedSessions) do
    local session = known[id]
    if session then
      set[#set + 1] = id
      set[#set + 1] = struct.pack(
        SESSION, session.isEnded and 2 or 1, session.requester, session.ttlMs, session.createdAt, session.expiresAt,
        session.token, session.label
      ) .. (session.actor and struct.pack('s', session.actor) or '')
      due[#due + 1] = session.expiresAt
      due[#due + 1] = id
    else
      del[#del + 1] = id
    end
  end
  bytes.callWith('HSET', keys.sessions, set)
  bytes.callWith('HDEL', keys.sessions, del)
  bytes.callWith('ZADD', keys.sessionsDue, due)
  bytes.callWith('ZREM', keys.sessionsDue, del)
  if next(changedSessions) then
    sessions.nextDue = tonumber(redis.call('ZRANGE', keys.sessionsDue, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
  if sessions.count == 0 then
    if tenant.sessionsText then
      redis.call('HDEL', keys.tenant, 'sessions')
      tenantRecord.setFlag(tenantRecord.HAS_SESSIONS, false)
    end
    return
  end
  local nextDue = sessions.nextDue == math.huge and 'inf' or string.format('%.0f', sessions.nextDue)
  local text = string.format('%d %s %d', sessions.count, nextDue, sessions.isClearing and 1 or 0)
  if text ~= tenant.sessionsText then
    fields[#fields + 1] = 'sessions'
    fields[#fields + 1] = text
    tenantRecord.setFlag(tenantRecord.HAS_SESSIONS, true)
  end
end

-- Ends the reservations of sessions that are over, in pieces: until none is left, every script of the tenant ends some
-- of them before anything else, and answers AGAIN. So no caller sees one of them after another has ended.

-- Limits for one call: holds ended, and work spent on ending them.
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
    local members = redis.call('ZRANGE', keys.sessionHolds, lower, '(' .. session.id .. '\11', 'BYLEX', 'LIMIT', 0, STEP)
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
  -- Reservations that this script has granted are not stored yet.
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

function sessions.clear(id)
  local session = sessions.at(id)
  local isAll = not session or
    (not tenant.queue or tenant.queue.endTicketsOf(id, MAX_CLEARING_WORK)) and clearHolds(session)
  sessions.isClearing = not isAll
  if isAll then
    sessions.count = sessions.count - (session and 1 or 0)
    known[id], changedSessions[id] = false, true
    work.spend(5)
  end
  return isAll
end

function sessions.clearDue()
  local due = redis.call('ZRANGE', keys.sessionsDue, '-inf', clock.nowMs(), 'BYSCORE', 'LIMIT', 0, MAX_CLEARED)
  for _, id in ipairs(due) do
    if not sessions.clear(id) or work.done > MAX_CLEARING_WORK then
      return false
    end
  end
  return #due < MAX_CLEARED
end

-- Sessions (docs/specification.md#sessions): a caller keeps all reservations of a session by one heartbeat, and loses
-- all of them together. prepareSessions() makes this module tenant.sessions, if the tenant has sessions or the call
-- begins one (tenant.mayBegin, which the verb sets before). Fields:
--   count, nextDue   number of sessions; ms: none is due before this
--   isClearing       true if some holds of a session that is over were released, and others are left
--   at(id, stored)   returns a session, false if there is none; `stored` is its record, nil to read it
--   of(id, owner)    returns a session for a requester to use, false if there is none; may set tenant.foreign
--   holdsOf(session)   returns the number of its reservations
--   whyFull(session)   returns why it may not have more, false if it may
--   put(session)     stores a session
--   clear(id)        ends holds of a session that is over. Returns true if none is left
--   clearDue()       does so for all sessions that are due
--   write(fields)    writes all changes

-- Reads the state of the tenant's sessions. Every script that reads reservations calls it.
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

-- Finds the session that a caller renews or ends.

-- Returns true if a session has reservations or tickets that a key with a prefix may not change. It looks at a limited
-- number of tickets.
local function isForeign(session)
  local MAX_SEARCHED_TICKETS = 200
  local within, line = session.id .. '\n' .. tenant.prefix, '\8' .. session.id .. '\n'
  work.spend(3)
  local holds = redis.call('ZLEXCOUNT', keys.sessionHolds, '[' .. within, '(' .. within .. '\255')
  if holds < tenant.sessions.holdsOf(session) then
    return true
  elseif tenant.queueText and not tenant.queue then
    tenant.openQueue()
  end
  local order = tenant.queue and tenant.queue.nthOf(line, 1)
  for n = 1, MAX_SEARCHED_TICKETS do
    if not order then
      return false
    end
    local ticket = tenant.queue.ticketAt(order)
    if ticket and not tenant.mayChangeAll(ticket.items) then
      return true
    end
    order = tenant.queue.nthOf(line, n + 1)
  end
  return true
end

-- Takes its id and its token, and the only requester that the caller may act for, '' any. Returns false if there is no
-- such session, or the token is wrong. Sets tenant.foreign if the caller may not change it.
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
  known, changedSessions = {}, {}
  orphans = {}
  cleared = 0
end

return sessions
