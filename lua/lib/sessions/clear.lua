-- Ends the reservations of sessions that are over, in pieces: until none is left, every script of the tenant ends some
-- of them before anything else, and answers AGAIN. So no caller sees one of them after another has ended.

-- Limits for one call: holds ended, and work spent on ending them.
local MAX_CLEARED, MAX_CLEARING_WORK = 100, 1500
local cleared = 0
local endLease = openEnding()

-- Ends the hold that a member stands for.
local function clearHold(session, member)
  local slot = string.sub(member, #session.id + 2)
  local held = recordAt(slot)
  cleared = cleared + 1
  if held and held.session == session.id then
    endLease(nil, held, session.isEnded and session)
  else
    orphans[#orphans + 1] = member
  end
end

-- Ends some holds of a session. Returns true if none is left.
local function clearHolds(session)
  local STEP = 20
  local lower = '[' .. session.id .. '\n'
  repeat
    local members = redis.call('ZRANGE', sessionHoldsKey, lower, '(' .. session.id .. '\11', 'BYLEX', 'LIMIT', 0, STEP)
    spend(3 + #members / 4)
    local slots = {}
    for i, member in ipairs(members) do
      slots[i] = string.sub(member, #session.id + 2)
    end
    readSlots(slots)
    for _, member in ipairs(members) do
      if cleared >= MAX_CLEARED or work > MAX_CLEARING_WORK then
        return false
      end
      clearHold(session, member)
    end
    lower = #members > 0 and '(' .. members[#members]
  until #members < STEP
  -- Reservations that this script has granted are not stored yet.
  for _, slot in ipairs(changed) do
    if records[slot] and records[slot].session == session.id then
      if cleared >= MAX_CLEARED or work > MAX_CLEARING_WORK then
        return false
      end
      clearHold(session, session.id .. '\n' .. slot)
    end
  end
  return true
end

local function clear(id)
  local session = sessions.at(id)
  local isAll = not session or
    (not tenant.queue or tenant.queue.endTicketsOf(id, MAX_CLEARING_WORK)) and clearHolds(session)
  sessions.isClearing = not isAll
  if isAll then
    sessions.count = sessions.count - (session and 1 or 0)
    known[id], changedSessions[id] = false, true
    spend(5)
  end
  return isAll
end

local function clearDue()
  local due = redis.call('ZRANGE', sessionsDueKey, '-inf', nowMs, 'BYSCORE', 'LIMIT', 0, MAX_CLEARED)
  for _, id in ipairs(due) do
    if not clear(id) or work > MAX_CLEARING_WORK then
      return false
    end
  end
  return #due < MAX_CLEARED
end
