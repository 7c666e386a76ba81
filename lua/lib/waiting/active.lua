-- Lists the lines and requesters whose tickets settle.lua looks at, because something has changed for them.
--@include waiting/grant
--@include waiting/matches

-- Of a line in which something is kept, so many tickets are looked at; of others, MAX_TURNS.
local MAX_KEPT_LOOKS = 16
-- The journal's length up to which changes were looked at.
local settledTo = 0
-- active[name]: what still has to be looked at in a line. Fields:
--   after, skipped  the last ticket that was looked at in vain, and how many were
--   next            the next ticket to look at, false for none, nil if it was not looked up
--   isJoinable      a system requester took a slot of it, which others may join
--   isKept          looked at since less of it may be kept now: only its first tickets are
-- activeRequesters[requester]: the last of its tickets that was looked at, '' for none.
local active, activeRequesters = {}, {}

local function isSystem(owner)
  return string.sub(owner, 1, 7) == 'system:'
end

-- Lines that are looked at together. More are noted, and looked at after these.
local MAX_ACTIVE = 30
local activeCount = 0

-- Activates a line, from its first ticket on. Lines beyond MAX_ACTIVE are noted.
local function activate(name, isJoinable, isKept)
  if isLineEmpty(name) then
    return
  end
  local known = active[name]
  local cursor = {
    skipped = 0, isJoinable = isJoinable or known and known.isJoinable,
    isKept = isKept and (not known or known.isKept),
  }
  if known or activeCount < MAX_ACTIVE then
    activeCount = activeCount + (known and 0 or 1)
    active[name] = cursor
  else
    noteLine(name, cursor)
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
      -- It may hold by this what a next ticket waits for, also through a blocker.
      activeRequesters[now.owner] = state.hasKept and '' or activeRequesters[now.owner]
    end
    return
  end
  local pool = now and now.pool or before and before.pool or ''
  local owner = now and (not before or now.owner ~= before.owner) and now.owner
  local isTaken = owner and not isSystem(owner)
  for _, name in ipairs(pool ~= '' and { slot, pool } or { slot }) do
    staleNames[name] = true
    if before and (not now or owner) then
      noteLost(name, 1)
    end
    if isTaken then
      wonLines[name] = true
    end
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
  if isTaken and now.match and nthOf('\9', 1) then
    -- It may be what a match of the requester waits for.
    activeRequesters[owner] = ''
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

--@include waiting/turned

local firstActive
do
  -- Returns the first ticket that waits in a line and was not looked at yet; nil if there is none, or none that could
  -- be granted.
  local function peek(name, cursor)
    local isShort = cursor.isKept or string.sub(name, 1, 1) == MATCH
    if cursor.skipped >= (isShort and MAX_KEPT_LOOKS or MAX_TURNS) then
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

  -- peeked[requester]: what peekOf() returned, while no ticket changes: {changes, after, order}.
  local peeked = {}

  -- Returns the first of a requester's tickets that waits and was not looked at yet; nil if there is none.
  local function peekOf(requester)
    local after, known, first = activeRequesters[requester], peeked[requester], nil
    if known and known.changes == ticketChanges and known.after == after then
      return known.order
    end
    spend(1)
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
    peeked[requester] = { changes = ticketChanges, after = after, order = first }
    return first
  end

  -- Returns the first ticket in order of all that must be looked at, and a function that moves on behind it.
  firstActive = function()
    local best, moveOn
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
        end
      end
    end
    for requester in pairs(activeRequesters) do
      spend(0.1)
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

-- Notes what is still to be looked at, for later scripts. Returns true if there is anything.
local function saveActive()
  for _, ticket in pairs(movedTickets) do
    exemptLines[ticket.waitsFor] = ''
  end
  local function note(prefix, name, rest)
    if state.wasKept and not isLineEmpty(name) then
      setMember(prefix, name .. '\n' .. rest, true)
      state.isUnsettled = true
    end
  end
  for name, lost in pairs(lostLines) do
    note('\14l', name, lost.count .. '\n' .. lost.after)
  end
  for name in pairs(wonLines) do
    note('\14w', name, '')
  end
  for name, after in pairs(exemptLines) do
    note('\14e', name, after)
  end
  for name, cursor in pairs(active) do
    noteLine(name, cursor)
  end
  for requester, after in pairs(activeRequesters) do
    setMember('\6', requester .. '\n' .. after, true)
    state.isUnsettled = true
  end
  active, activeRequesters, activeCount = {}, {}, 0
  lostLines, wonLines, movedTickets, exemptLines = {}, {}, {}, {}
  return state.isUnsettled or state.replanned ~= nil
end

-- Takes up some of what was noted, after all else was looked at. Returns false if nothing was noted.
local function resumeActive()
  active, activeCount = {}, 0
  local count = 0
  -- Takes the first member with a prefix. Returns nil if there is none, or enough was taken.
  local function takeNoted(prefix)
    local rest = count < MAX_ACTIVE and nthOf(prefix, 1) or nil
    if rest then
      count = count + 1
      spend(1)
      setMember(prefix, rest, false)
    end
    return rest
  end
  for rest in takeNoted, '\14l' do
    local name, more, after = string.match(rest, '^([^\n]*)\n(%d+)\n(.*)$')
    local known = lostLines[name]
    lostLines[name] = { count = more + (known and known.count or 0), after = known and '' or after }
  end
  for rest in takeNoted, '\14w' do
    wonLines[string.sub(rest, 1, -2)] = true
  end
  for rest in takeNoted, '\5' do
    local name, skipped, flags, after = string.match(rest, '^([^\n]*)\n(.)(.)(.*)$')
    skipped, flags = string.byte(skipped), string.byte(flags)
    local known = active[name]
    if known then
      -- It was noted twice: it is looked at from the earlier place on, as far as the one that goes further.
      known.after = known.after and after ~= '' and (known.after < after and known.after or after) or nil
      known.isKept, known.isJoinable = known.isKept and flags >= 2, known.isJoinable or flags % 2 == 1
    elseif not isLineEmpty(name) then
      activeCount = activeCount + 1
      active[name] = {
        skipped = skipped, after = after ~= '' and after or nil, isKept = flags >= 2, isJoinable = flags % 2 == 1,
      }
    end
  end
  for rest in takeNoted, '\6' do
    local requester, after = string.match(rest, '^([^\n]*)\n(.*)$')
    local known = activeRequesters[requester]
    activeRequesters[requester] = known and known < after and known or after
  end
  for rest in takeNoted, '\14e' do
    local name, after = string.match(rest, '^([^\n]*)\n(.*)$')
    exemptLines[name] = exemptLines[name] or after
  end
  state.isUnsettled = nthOf('\14', 1) ~= nil or nthOf('\5', 1) ~= nil or nthOf('\6', 1) ~= nil
  return count > 0
end
