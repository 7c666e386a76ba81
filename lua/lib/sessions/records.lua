-- Sessions as this script sees and changes them. A session is a table:
--   id          22 characters, a UUID like release tokens
--   requester   whose reservations it keeps
--   token       22 characters: needed to renew and to end it
--   ttlMs       how long it lasts after it began or was renewed
--   createdAt, expiresAt   ms
--   isEnded     true if its caller has ended it; it is due since then
--   label       label of the key that began it; once it has ended, of the key that ended it
--   actor       who ended it (actorName.lua); nil if nobody has
--   holds       number of its reservations, nil if it was not counted
-- Redis has it in three keys. sessions is a hash: id -> record, packed like those of reservations (codec.lua), its form
-- being 1, or 2 once it has ended; then the actor follows.
-- sessionsDue is a sorted set: id -> ms at which it is due. sessionHolds is a sorted set with the member <id>\n<slot>
-- for each reservation, in byte order. The tenant's field `sessions` has their number, the time at which one is next
-- due, and 1 if isClearing, else 0.
--@include callWith
local SESSION = '>BsI4I6I6c22s'
local MAX_HOLDS = 50000
local sessions = { count = 0, nextDue = math.huge, isClearing = false }
-- known[id]: the session, false if there is none. changedSessions[id]: true if it is to be written or removed.
local known, changedSessions = {}, {}
-- Members of sessionHolds to remove, beside those of the reservations that this script ends.
local orphans = {}
tenant.sessions = sessions
if tenant.sessionsText then
  local count, nextDue, clearing = string.match(tenant.sessionsText, '^(%d+) (%S+) (%d)$')
  sessions.count, sessions.nextDue, sessions.isClearing = tonumber(count), tonumber(nextDue), clearing == '1'
end

sessions.at = function(id, stored)
  local session = known[id]
  if session == nil then
    spend(3)
    local packed = stored or redis.call('HGET', sessionsKey, id)
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

sessions.of = function(id, owner)
  local session = sessions.at(id)
  if not session or session.isEnded then
    return false
  elseif session.requester ~= owner then
    tenant.foreign = 'This session belongs to another requester.'
  end
  return session
end

-- Returns the number of a session's reservations.
local function holdsOf(session)
  if not session.holds then
    spend(3)
    session.holds = redis.call('ZLEXCOUNT', sessionHoldsKey, '[' .. session.id .. '\n', '(' .. session.id .. '\11')
  end
  return session.holds
end

sessions.whyFull = function(session)
  return holdsOf(session) >= MAX_HOLDS and string.format('NOT_VALID: a session holds at most %d reservations', MAX_HOLDS)
end

sessions.put = function(session)
  if not known[session.id] then
    sessions.count = sessions.count + 1
  end
  known[session.id], changedSessions[session.id] = session, true
  sessions.nextDue = math.min(sessions.nextDue, session.expiresAt)
end
sessions.holdsOf = holdsOf

-- Writes the members of the reservations that sessions got and lost.
local function writeHolds()
  local add, remove = {}, orphans
  for _, slot in ipairs(changed) do
    local before, record = original[slot] and original[slot].session, records[slot] and records[slot].session
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
  callWith('ZREM', sessionHoldsKey, remove)
  callWith('ZADD', sessionHoldsKey, add)
end

-- Adds the tenant's fields to write: field, value, ...
sessions.write = function(fields)
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
  callWith('HSET', sessionsKey, set)
  callWith('HDEL', sessionsKey, del)
  callWith('ZADD', sessionsDueKey, due)
  callWith('ZREM', sessionsDueKey, del)
  if next(changedSessions) then
    sessions.nextDue = tonumber(redis.call('ZRANGE', sessionsDueKey, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
  if sessions.count == 0 then
    if tenant.sessionsText then
      redis.call('HDEL', tenantKey, 'sessions')
    end
    return
  end
  local nextDue = sessions.nextDue == math.huge and 'inf' or string.format('%.0f', sessions.nextDue)
  local text = string.format('%d %s %d', sessions.count, nextDue, sessions.isClearing and 1 or 0)
  if text ~= tenant.sessionsText then
    fields[#fields + 1] = 'sessions'
    fields[#fields + 1] = text
  end
end
