-- Lists the lines and requesters whose tickets settle.lua looks at, because something has changed for them.
--@include waiting/grant
--@include waiting/matches

-- Limits for lines whose free slots are kept: the number of lines, tickets of each, and work.
local MAX_KEPT_LINES, MAX_KEPT_LOOKS, MAX_KEPT_WORK = 16, 16, 500
-- Work that this script has spent on kept lines.
local keptWork = 0
-- The journal's length up to which changes were looked at.
local settledTo = 0
-- active[name]: what still has to be looked at in a line. Fields:
--   after, skipped  the last ticket that was looked at in vain, and how many were
--   next            the next ticket to look at, false for none, nil if it was not looked up
--   isJoinable      a system requester took a slot of it, which others may join
--   isKept          looked at since some slot is free and kept
-- activeRequesters[requester]: the last of its tickets that was looked at, '' for none.
local active, activeRequesters = {}, {}

local function isSystem(owner)
  return string.sub(owner, 1, 7) == 'system:'
end

-- Lines that are looked at together. More are noted, and looked at after these.
local MAX_ACTIVE = 30
local activeCount = 0

-- Notes a line that is to be looked at later.
local function noteLine(name, cursor)
  local flags = 2 * cursor.skipped + (cursor.isJoinable and 1 or 0)
  setMember('\5', name .. '\n' .. string.char(flags) .. (cursor.after or ''), true)
  state.isUnsettled = true
end

local function activate(name, isJoinable)
  if isLineEmpty(name) then
    return
  elseif active[name] then
    active[name] = { skipped = 0, isJoinable = isJoinable or active[name].isJoinable }
  elseif activeCount < MAX_ACTIVE then
    activeCount = activeCount + 1
    active[name] = { skipped = 0, isJoinable = isJoinable }
  else
    noteLine(name, { skipped = 0, isJoinable = isJoinable })
  end
end

-- Returns true if a requester has a ticket with a name in its plan, up to an order.
local function hasTicketIn(name, requester, upTo)
  for n = 1, MAX_TURNS do
    local rest = nthOf('\2' .. requester .. '\n', n)
    if not rest then
      return false
    end
    local order = string.sub(rest, -8)
    local ticket = order <= upTo and ticketAt(order)
    for _, line in ipairs(ticket and ticket.lines or {}) do
      if line == name then
        return true
      end
    end
  end
  return false
end

-- Activates the tickets of a requester that got a slot of a resource, or of a pool. If some of them were looked at
-- already, they are looked at again if this concerns them.
local function activateRequester(requester, name)
  local after = activeRequesters[requester]
  if not after and not isLineEmpty(name) or after and after ~= '' and hasTicketIn(name, requester, after) then
    activeRequesters[requester] = ''
  end
end

-- Activates what the changes of one slot concern.
local function touch(slot, before, now)
  if isOnlyLeft(slot, before, now) then
    -- Matches of its requester passed the resource until now, and may take another slot of it.
    activateMatches(before.pool ~= '' and before.pool or string.match(slot, '^[^\1]*'), activate)
  end
  if isShare(slot) then
    if now and not before then
      activateRequester(now.owner, string.match(slot, '^[^\1]*'))
    end
    return
  end
  local pool = now and now.pool or before and before.pool or ''
  local owner = now and (not before or now.owner ~= before.owner) and now.owner
  local isTaken = owner and not isSystem(owner)
  for _, name in ipairs(pool ~= '' and { slot, pool } or { slot }) do
    staleNames[name] = true
    if not now or owner and not isTaken then
      activate(name, owner and true)
    end
    if not now then
      activateMatches(name, activate)
    end
    if isTaken then
      activateRequester(owner, name)
    end
  end
end

local function touchChanges()
  for i = settledTo + 1, #journal, 2 do
    local slot = journal[i]
    spend(0.5)
    touch(slot, journal[i + 1], records[slot])
  end
  settledTo = #journal
end

-- Returns true if blockers hold a slot of a resource, so that others may join their holds.
local function isJoinable(name)
  for _, slot in ipairs(heldSlotsOf(name)) do
    if isSystem(recordAt(slot).owner) then
      return true
    end
  end
  return false
end

-- Activates the lines in which free slots, or joining a hold, are kept. Forgets those in which nothing waits any more.
local function activateKept()
  if not state.hasKept then
    return
  end
  for n = keptWork < MAX_KEPT_WORK and MAX_KEPT_LINES or 0, 1, -1 do
    local name = nthOf('\4', n)
    if name and not active[name] then
      local isFree = freeAt(name) > 0
      if not (isFree or isJoinable(name)) or
        not (nthOf(name .. '\nw', 1) or nthOf(name .. '\nv', 1) or nthOf(name .. '\nf', 1)) then
        setMember('\4', name, false)
      else
        active[name] = { skipped = 0, isKept = true, isJoinable = not isFree }
      end
    end
  end
  state.hasKept = nthOf('\4', 1) ~= nil
end

--@include waiting/exempt

local firstActive
do
  -- Returns the first ticket that waits in a line and was not looked at yet; nil if there is none, or none that could
  -- be granted.
  local function peek(name, cursor)
    local isShort = cursor.isKept or string.sub(name, 1, 1) == MATCH
    if cursor.skipped >= (isShort and MAX_KEPT_LOOKS or MAX_TURNS) or cursor.isKept and keptWork > MAX_KEPT_WORK then
      return nil
    elseif freeAt(name) == 0 and not cursor.isJoinable then
      local record = recordAt(name)
      if not record or not isSystem(record.owner) then
        return nil
      end
    end
    local first
    for _, kind in ipairs({ '\nw', '\nv', '\nf' }) do
      local n = 1
      local order = nthOf(name .. kind, n)
      while order and cursor.after and order <= cursor.after do
        n = n + 1
        order = nthOf(name .. kind, n)
      end
      if order and (not first or order < first) then
        first = order
      end
    end
    return first
  end

  -- Returns the first of a requester's tickets that waits and was not looked at yet; nil if there is none.
  local function peekOf(requester)
    local after, first = activeRequesters[requester], nil
    for n = 1, MAX_TURNS do
      local rest = nthOf('\2' .. requester .. '\n', n)
      if not rest then
        break
      end
      local order = string.sub(rest, -8)
      if order > after and not (first and first < order) then
        local ticket = ticketAt(order)
        first = ticket and ticket.status ~= 'granted' and order or first
      end
    end
    return first
  end

  -- Returns the first ticket in order of all that must be looked at, and a function that moves on behind it.
  firstActive = function()
    local best, moveOn
    local before = work
    for name, cursor in pairs(active) do
      spend(0.1)
      if cursor.next == nil or staleNames[name] then
        staleNames[name] = nil
        spend(2)
        cursor.next = peek(name, cursor) or false
      end
      local order = cursor.next
      if not order then
        active[name] = nil
      elseif not best or order < best then
        best, moveOn = order, function()
          cursor.after, cursor.skipped, cursor.next = order, cursor.skipped + 1, nil
          keptWork = keptWork + (cursor.isKept and work - before or 0)
        end
      end
    end
    for requester in pairs(activeRequesters) do
      local order = peekOf(requester)
      if not order then
        activeRequesters[requester] = nil
      elseif not best or order < best then
        best, moveOn = order, function()
          activeRequesters[requester] = order
        end
      end
    end
    return best, moveOn
  end
end

-- Notes what is still to be looked at, for later scripts. Kept lines are looked at again by every script that changes
-- something. Returns true if there is anything.
local function saveActive()
  for name, cursor in pairs(active) do
    if not cursor.isKept then
      noteLine(name, cursor)
    end
  end
  for requester, after in pairs(activeRequesters) do
    setMember('\6', requester .. '\n' .. after, true)
    state.isUnsettled = true
  end
  active, activeRequesters, activeCount = {}, {}, 0
  return state.isUnsettled or state.replanned ~= nil
end

-- Activates some of what was noted. Returns false if nothing was.
local function resumeActive()
  local isAny = false
  local rest = nthOf('\5', 1)
  active, activeCount = {}, 0
  while rest and activeCount < MAX_ACTIVE do
    local name, flags, after = string.match(rest, '^([^\n]*)\n(.)(.*)$')
    setMember('\5', rest, false)
    if not isLineEmpty(name) and not active[name] then
      isAny, activeCount = true, activeCount + 1
      flags = string.byte(flags)
      active[name] = {
        skipped = math.floor(flags / 2), after = after ~= '' and after or nil, isJoinable = flags % 2 == 1,
      }
    end
    rest = nthOf('\5', 1)
  end
  state.isUnsettled = rest ~= nil
  rest = nthOf('\6', 1)
  while rest do
    local requester, after = string.match(rest, '^([^\n]*)\n(.*)$')
    isAny, activeRequesters[requester] = true, after
    setMember('\6', rest, false)
    rest = nthOf('\6', 1)
  end
  return isAny or state.isUnsettled
end
