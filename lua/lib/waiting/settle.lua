-- Settles the queue: grants the first ticket in order that may be granted, then starts again from the front, until no
-- ticket is left that could be granted (docs/specification.md#waiting-order). Only tickets are looked at for which
-- something has changed:
--   those that wait for a slot that became free, or for a blocker's hold that they may join
--   those of requesters that got something
--   the first of those that wait for a free slot that is kept, since whose turn it is may have changed
-- A script settles for a limited time. What is left is noted in the lines, and later scripts go on.
--@include waiting/feasible
--@include waiting/grant
local MAX_SETTLE_WORK, MAX_KEPT_LINES, MAX_KEPT_LOOKS = 2500, 40, 16
-- The journal's length up to which changes were looked at.
local settledTo = 0
-- True if the queue must not be settled by this script.
local isSuspended = false
-- active[name]: what still has to be looked at in a line: {skipped, isJoinable}. activeRequesters[requester]: the place
-- of the next of its tickets.
local active, activeRequesters = {}, {}

local function isSystem(owner)
  return string.sub(owner, 1, 7) == 'system:'
end

local function activate(name, isJoinable)
  if not isLineEmpty(name) then
    active[name] = { skipped = 0, isJoinable = isJoinable or active[name] and active[name].isJoinable }
  end
end

-- Activates what the changes of one slot concern.
local function touch(slot, before, now)
  local pool = now and now.pool or before and before.pool or ''
  local owner = now and (not before or now.owner ~= before.owner) and now.owner
  local isTaken = owner and not isSystem(owner)
  for _, name in ipairs(pool ~= '' and { slot, pool } or { slot }) do
    if not now or owner and not isTaken then
      activate(name, owner and true)
    end
    if isTaken and not activeRequesters[owner] and not isLineEmpty(name) then
      activeRequesters[owner] = 1
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

-- Activates the lines with slots that are free and kept. Forgets those in which nothing waits any more.
local function activateKept()
  for n = math.min(MAX_KEPT_LINES, 1000), 1, -1 do
    local name = nthOf('\4', n)
    if name and not active[name] then
      if freeAt(name) == 0 or not (nthOf(name .. '\nw', 1) or nthOf(name .. '\nv', 1) or nthOf(name .. '\nf', 1)) then
        setMember('\4', name, false)
      else
        active[name] = { skipped = 0, isKept = true }
      end
    end
  end
end

-- Returns the first ticket that waits in a line and was not looked at yet; nil if there is none, or none that could be
-- granted.
local function peek(name, cursor)
  if cursor.skipped >= (cursor.isKept and MAX_KEPT_LOOKS or MAX_TURNS) then
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

-- Returns the first of a requester's tickets from a place on that waits; nil if there is none.
local function peekOf(requester)
  while activeRequesters[requester] <= MAX_TURNS do
    local rest = nthOf('\2' .. requester .. '\n', activeRequesters[requester])
    local ticket = rest and ticketAt(string.sub(rest, -7))
    if not rest or ticket and ticket.status ~= 'granted' then
      return rest and ticket.order
    end
    activeRequesters[requester] = activeRequesters[requester] + 1
  end
end

-- Returns the first ticket in order of all that must be looked at, and a function that moves on behind it.
local function firstActive()
  local best, moveOn
  for name, cursor in pairs(active) do
    local order = peek(name, cursor)
    if not order then
      active[name] = nil
    elseif not best or order < best then
      best, moveOn = order, function()
        cursor.after, cursor.skipped = order, cursor.skipped + 1
      end
    end
  end
  for requester in pairs(activeRequesters) do
    local order = peekOf(requester)
    if not order then
      activeRequesters[requester] = nil
    elseif not best or order < best then
      best, moveOn = order, function()
        activeRequesters[requester] = activeRequesters[requester] + 1
      end
    end
  end
  return best, moveOn
end

-- Looks at tickets until there are no more to look at, or the time is up. Returns true in the first case.
local function settleActive(limit)
  local granted = false
  repeat
    granted = false
    activateKept()
    local order, moveOn = firstActive()
    while order do
      if work > limit then
        return false
      end
      local ticket = ticketAt(order)
      spend(1)
      if ticket and tryGrant(ticket) then
        granted = true
        touchChanges()
        activateKept()
      else
        moveOn()
      end
      order, moveOn = firstActive()
    end
  until not granted
  return true
end

-- Plans a ticket again. It ends if its request is no longer valid.
local function replanTicket(ticket)
  local entries = entriesOf(ticket)
  if not entries or not isFeasible(ticket.requester, ticket.method, ticket.items) then
    return endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: its definitions have changed', -1)
  end
  local names, waitsFor = linesOf(entries), nil
  for _, name in ipairs(names) do
    waitsFor = name == ticket.waitsFor and name or waitsFor
  end
  changeTicket(ticket, { lines = names, waitsFor = waitsFor or names[1] })
  if tryGrant(ticket) then
    touchChanges()
  end
end

-- Brings the tickets up to date after a change of definitions, from the front on. Returns true when it has reached the
-- end.
local function replan(limit)
  local PAGE_OF_PLANS = 20
  while state.replanned do
    local orders = redis.call(
      'ZRANGE', linesKey, '(\1' .. state.replanned, '(\2', 'BYLEX', 'LIMIT', 0, PAGE_OF_PLANS
    )
    for i, member in ipairs(orders) do
      orders[i] = string.sub(member, 2)
    end
    readTickets(orders)
    for _, order in ipairs(orders) do
      if work > limit then
        return false
      end
      local ticket = ticketAt(order)
      if ticket and ticket.order == order and ticket.status ~= 'granted' then
        replanTicket(ticket)
      end
      state.replanned = order
    end
    if #orders < PAGE_OF_PLANS then
      state.replanned = nil
    end
  end
  return true
end

-- Notes that definitions have changed: all tickets are planned again, now or by later scripts.
local function planAgain()
  forgetPlans()
  state.replanned = ''
end

-- Settles after the changes of this script so far. Returns true if nothing is left to do.
local function settle()
  if isSuspended then
    return true
  elseif state.tickets == 0 then
    active, activeRequesters, settledTo = {}, {}, #journal
    state.isUnsettled, state.replanned = false, nil
    return true
  end
  local limit = work + MAX_SETTLE_WORK
  touchChanges()
  if state.isUnsettled then
    for _, prefix in ipairs({ '\5', '\6' }) do
      local name = nthOf(prefix, 1)
      while name do
        if prefix == '\5' then
          activate(name, true)
        else
          activeRequesters[name] = 1
        end
        setMember(prefix, name, false)
        name = nthOf(prefix, 1)
      end
    end
    state.isUnsettled = false
  end
  if not replan(limit) or not settleActive(limit) then
    for name in pairs(active) do
      setMember('\5', name, true)
    end
    for requester in pairs(activeRequesters) do
      setMember('\6', requester, true)
    end
    state.isUnsettled = state.replanned ~= nil or next(active) ~= nil or next(activeRequesters) ~= nil
    active, activeRequesters = {}, {}
    return not state.isUnsettled
  end
  return true
end

-- Keeps this script from settling: its definitions are only planned.
local function suspend()
  isSuspended = true
end

-- Looks at the first tickets of the queue although nothing has changed for them. Returns how many were granted: none,
-- unless the queue was stuck.
local function recheck()
  local MAX_RECHECKED, granted, n = 8, state.granted, 1
  local order = nthOf('\1', n)
  while order and n <= MAX_RECHECKED and settle() do
    local ticket = ticketAt(order)
    if not (ticket and tryGrant(ticket)) then
      n = n + 1
    end
    order = nthOf('\1', n)
  end
  return state.granted - granted
end
