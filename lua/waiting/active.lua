-- Lists the lines and requesters whose tickets settle.lua looks at, because something has changed for them.
local holders = require('waiting/holders')
local keeping = require('waiting/keeping')
local lines = require('waiting/lines')
local matches = require('waiting/matches')
local needs = require('waiting/needs')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tickets = require('waiting/tickets')
local turns = require('waiting/turns')
local work = require('frame/work')
local active = {}

-- Of a line in which something is kept, so many tickets are looked at; of others, MAX_TURNS.
local MAX_KEPT_LOOKS = 16

local function isSystem(owner)
  return string.sub(owner, 1, 7) == 'system:'
end

-- Lines that are looked at together. More are noted, and looked at after these.
local MAX_ACTIVE = 30

-- Activates a line, from its first ticket on. Lines beyond MAX_ACTIVE are noted.
local function activate(name, isJoinable, isKept)
  if lines.isLineEmpty(name) then
    return
  end
  local known = active.active[name]
  local cursor = {
    skipped = 0, isJoinable = isJoinable or known and known.isJoinable,
    isKept = isKept and (not known or known.isKept),
  }
  if known or active.activeCount < MAX_ACTIVE then
    active.activeCount = active.activeCount + (known and 0 or 1)
    active.active[name] = cursor
  else
    lines.noteLine(name, cursor)
  end
end

-- Returns true if a requester has a ticket with a name in its plan, up to an order.
local function hasTicketIn(name, requester, upTo)
  for n = 1, turns.MAX_TURNS do
    local rest = lines.nthOf('\2' .. requester .. '\n', n)
    if not rest then
      return false
    end
    local order = string.sub(rest, -8)
    local ticket = order <= upTo and tickets.ticketAt(order)
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
  local after = active.activeRequesters[requester]
  if not after and not lines.isLineEmpty(name) or after and after ~= '' and hasTicketIn(name, requester, after) then
    active.activeRequesters[requester] = ''
  end
end

-- Activates what the changes of one slot concern.
local function touch(slot, before, now)
  if lines.isOnlyLeft(slot, before, now) then
    -- Matches of its requester passed the resource until now, and may take another slot of it.
    matches.activateMatches(before.pool ~= '' and before.pool or string.match(slot, '^[^\1]*'), activate)
  end
  if shared.isShare(slot) then
    if now and not before then
      activateRequester(now.owner, string.match(slot, '^[^\1]*'))
      -- It may hold by this what a next ticket waits for, also through a blocker.
      active.activeRequesters[now.owner] = state.hasKept and '' or active.activeRequesters[now.owner]
    end
    return
  end
  local pool = now and now.pool or before and before.pool or ''
  local owner = now and (not before or now.owner ~= before.owner) and now.owner
  local isTaken = owner and not isSystem(owner)
  for _, name in ipairs(pool ~= '' and { slot, pool } or { slot }) do
    lines.staleNames[name] = true
    if before and (not now or owner) then
      tickets.noteLost(name, 1)
    end
    if isTaken then
      tickets.wonLines[name] = true
    end
    if not now or owner and not isTaken then
      activate(name, owner and true)
    end
    if not now then
      matches.activateMatches(name, activate)
    end
    if isTaken then
      activateRequester(owner, name)
    end
  end
  if isTaken and now.match and lines.nthOf('\9', 1) then
    -- It may be what a match of the requester waits for.
    active.activeRequesters[owner] = ''
  end
end

function active.touchChanges()
  for i = active.settledTo + 1, #slotMap.journal, 2 do
    local slot = slotMap.journal[i]
    work.spend(0.5)
    touch(slot, slotMap.journal[i + 1], slotMap.records[slot])
  end
  active.settledTo = #slotMap.journal
end

-- Returns true if blockers hold a slot of a resource, so that others may join their holds.
local function isJoinable(name)
  for _, slot in ipairs(holders.heldSlotsOf(name)) do
    if isSystem(slotMap.recordAt(slot).owner) then
      return true
    end
  end
  return false
end

-- Returns the first ticket that waits in a line and was not looked at yet; nil if there is none, or none that could
-- be granted.
local function peek(name, cursor)
  local isShort = cursor.isKept or string.sub(name, 1, 1) == lines.MATCH
  if cursor.skipped >= (isShort and MAX_KEPT_LOOKS or turns.MAX_TURNS) then
    return nil
  elseif needs.freeAt(name) == 0 and not cursor.isJoinable then
    local record = slotMap.recordAt(name)
    if not record or not isSystem(record.owner) then
      return nil
    end
  end
  local first
  for _, kind in ipairs({ '\nw', '\nv', '\nf' }) do
    local n = 1
    local order = lines.nthOf(name .. kind, n)
    while order and cursor.after and order <= cursor.after do
      n = n + 1
      order = lines.nthOf(name .. kind, n)
    end
    if order and (not first or order < first) then
      first = order
    end
  end
  return first
end

-- peeked[requester]: what peekOf() returned, while no ticket changes: {changes, after, order}.
local peeked

-- Returns the first of a requester's tickets that waits and was not looked at yet; nil if there is none.
local function peekOf(requester)
  local after, known, first = active.activeRequesters[requester], peeked[requester], nil
  if known and known.changes == tickets.ticketChanges and known.after == after then
    return known.order
  end
  work.spend(1)
  for n = 1, turns.MAX_TURNS do
    local rest = lines.nthOf('\2' .. requester .. '\n', n)
    if not rest then
      break
    end
    local order = string.sub(rest, -8)
    if order > after and not (first and first < order) then
      local ticket = tickets.ticketAt(order)
      first = ticket and ticket.status ~= 'granted' and order or first
    end
  end
  peeked[requester] = { changes = tickets.ticketChanges, after = after, order = first }
  return first
end

-- Returns the first ticket in order of all that must be looked at, and a function that moves on behind it.
function active.firstActive()
  local best, moveOn
  for name, cursor in pairs(active.active) do
    work.spend(0.1)
    if cursor.next == nil or lines.staleNames[name] then
      lines.staleNames[name] = nil
      work.spend(2)
      cursor.next = peek(name, cursor) or false
    end
    local order = cursor.next
    if not order then
      active.active[name] = nil
    elseif not best or order < best then
      best, moveOn = order, function()
        cursor.after, cursor.skipped, cursor.next = order, cursor.skipped + 1, nil
      end
    end
  end
  for requester in pairs(active.activeRequesters) do
    work.spend(0.1)
    local order = peekOf(requester)
    if not order then
      active.activeRequesters[requester] = nil
    elseif not best or order < best then
      best, moveOn = order, function()
        active.activeRequesters[requester] = order
      end
    end
  end
  return best, moveOn
end

-- Notes what is still to be looked at, for later scripts. Returns true if there is anything.
function active.saveActive()
  for _, ticket in pairs(tickets.movedTickets) do
    active.exemptLines[ticket.waitsFor] = ''
  end
  local function note(prefix, name, rest)
    if state.wasKept and not lines.isLineEmpty(name) then
      lines.setMember(prefix, name .. '\n' .. rest, true)
      state.isUnsettled = true
    end
  end
  for name, lost in pairs(tickets.lostLines) do
    note('\14l', name, lost.count .. '\n' .. lost.after)
  end
  for name in pairs(tickets.wonLines) do
    note('\14w', name, '')
  end
  for name, after in pairs(active.exemptLines) do
    note('\14e', name, after)
  end
  for name, cursor in pairs(active.active) do
    lines.noteLine(name, cursor)
  end
  for requester, after in pairs(active.activeRequesters) do
    lines.setMember('\6', requester .. '\n' .. after, true)
    state.isUnsettled = true
  end
  active.active, active.activeRequesters, active.activeCount = {}, {}, 0
  tickets.lostLines, tickets.wonLines, tickets.movedTickets, active.exemptLines = {}, {}, {}, {}
  return state.isUnsettled or state.replanned ~= nil
end

-- Takes up some of what was noted, after all else was looked at. Returns false if nothing was noted.
function active.resumeActive()
  active.active, active.activeCount = {}, 0
  local count = 0
  -- Takes the first member with a prefix. Returns nil if there is none, or enough was taken.
  local function takeNoted(prefix)
    local rest = count < MAX_ACTIVE and lines.nthOf(prefix, 1) or nil
    if rest then
      count = count + 1
      work.spend(1)
      lines.setMember(prefix, rest, false)
    end
    return rest
  end
  for rest in takeNoted, '\14l' do
    local name, more, after = string.match(rest, '^([^\n]*)\n(%d+)\n(.*)$')
    local known = tickets.lostLines[name]
    tickets.lostLines[name] = { count = more + (known and known.count or 0), after = known and '' or after }
  end
  for rest in takeNoted, '\14w' do
    tickets.wonLines[string.sub(rest, 1, -2)] = true
  end
  for rest in takeNoted, '\5' do
    local name, skipped, flags, after = string.match(rest, '^([^\n]*)\n(.)(.)(.*)$')
    skipped, flags = string.byte(skipped), string.byte(flags)
    local known = active.active[name]
    if known then
      -- It was noted twice: it is looked at from the earlier place on, as far as the one that goes further.
      known.after = known.after and after ~= '' and (known.after < after and known.after or after) or nil
      known.isKept, known.isJoinable = known.isKept and flags >= 2, known.isJoinable or flags % 2 == 1
    elseif not lines.isLineEmpty(name) then
      active.activeCount = active.activeCount + 1
      active.active[name] = {
        skipped = skipped, after = after ~= '' and after or nil, isKept = flags >= 2, isJoinable = flags % 2 == 1,
      }
    end
  end
  for rest in takeNoted, '\6' do
    local requester, after = string.match(rest, '^([^\n]*)\n(.*)$')
    local known = active.activeRequesters[requester]
    active.activeRequesters[requester] = known and known < after and known or after
  end
  for rest in takeNoted, '\14e' do
    local name, after = string.match(rest, '^([^\n]*)\n(.*)$')
    active.exemptLines[name] = active.exemptLines[name] or after
  end
  state.isUnsettled = lines.nthOf('\14', 1) ~= nil or lines.nthOf('\5', 1) ~= nil or lines.nthOf('\6', 1) ~= nil
  return count > 0
end

-- What a change in one line means for tickets that wait elsewhere (docs/specification.md#waiting-order). Whose turn it
-- is in a line decides what is kept in others. It is a part of verbs/reservations/active.lua.

-- Activates the line of a resource if some of it is free, or may be joined: less may be kept there now. Forgets that
-- something is kept in it if nothing waits there any more.
local function activateKept(name)
  local isFree = needs.freeAt(name) > 0
  local isKept = (isFree or isJoinable(name)) and
    (lines.nthOf(name .. '\nw', 1) or lines.nthOf(name .. '\nv', 1) or lines.nthOf(name .. '\nf', 1)) ~= nil
  if isKept then
    activate(name, not isFree, true)
  elseif state.hasKept and lines.isLineKept(name) then
    lines.setMember('\4', name, false)
    state.hasKept = lines.nthOf('\4', 1) ~= nil
  end
end

-- Activates the first tickets of the first lines in which something is kept.
local function activateFirstKept()
  local MAX_KEPT_LINES = 16
  for n = MAX_KEPT_LINES, 1, -1 do
    local name = lines.nthOf('\4', n)
    if name then
      activateKept(name)
    end
  end
end

-- Activates the requesters that hold a resource, themselves or through their reservations. Those of a hold that many
-- share are not looked up: whoever waits for what is kept is looked at instead. `seen`: the resources that were.
local function activateHolders(name, depth, seen)
  local MAX_DEPTH, MAX_SHARERS = 6, 64
  if seen[name] then
    return
  end
  seen[name] = true
  for _, slot in ipairs(holders.heldSlotsOf(name)) do
    local record = slotMap.recordAt(slot)
    local owner = record.owner
    local declarer = string.match(owner, '^system:(.+)$')
    work.spend(0.5)
    if shared.isSharedHold(slot, record) and record.refCount > MAX_SHARERS then
      activateFirstKept()
    elseif shared.isSharedHold(slot, record) then
      for holder in string.gmatch(record.holders or '', '[^\n]+') do
        work.spend(0.5)
        active.activeRequesters[holder] = active.activeRequesters[holder] or ''
      end
    elseif not declarer then
      active.activeRequesters[owner] = ''
    elseif depth < MAX_DEPTH then
      activateHolders(declarer, depth + 1, seen)
    end
  end
end

-- Activates the requesters from which nothing is kept because a ticket is next.
local function activateExemptBy(ticket, seen)
  local waitsFor, isShort
  if turns.isNext(ticket) then
    waitsFor, isShort = keeping.waitsForNow(ticket)
  end
  if isShort then
    activateHolders(waitsFor, 0, seen)
  end
end

-- A step that looks at several tickets stops after this much work, and goes on from where it was.
local MAX_STEP_WORK = 1500

-- Activates the lines in which a ticket may have kept something, if it is not next any more.
local function activateUnkept(ticket)
  for _, name in ipairs(#ticket.lines > 1 and not turns.isNext(ticket) and ticket.lines or {}) do
    if lines.isLineKept(name) then
      activateKept(name)
    end
  end
end

-- Looks at the tickets of a line of which the turn had come before `lost.count` more slots were lacked ahead of them.
-- Returns true if that is all; else notes how far it came.
local function followLost(name, lost)
  local limit, i, j = work.done + MAX_STEP_WORK, 1, 1
  local own, count, keys = registry.definition(name), 0, {}
  local most = math.min(own and own.capacity or 1, turns.MAX_TURNS) + lost.count
  for _ = 1, turns.MAX_WALK do
    local order
    order, i, j = lines.nextInLine(name, i, j)
    local ticket = order and tickets.ticketAt(order, (lines.nextInLine(name, i, j)))
    for _, key in ipairs(ticket and needs.lackedAt(ticket, name) or {}) do
      count = count + (keys[key] and 0 or 1)
      keys[key] = true
    end
    if not ticket then
      return true
    elseif order > lost.after then
      activateUnkept(ticket)
      if work.done > limit then
        lost.after = order
        return false
      end
    end
    -- The first ticket that lacks more was looked at, too: as the first of its line it had its turn.
    if count > most then
      return true
    end
  end
  return true
end

-- Looks at a line of lostLines, or one of wonLines: at what is not kept any more because of it. Returns false if
-- there is none.
function active.followTurned()
  local name, lost = next(tickets.lostLines)
  if name then
    if not state.hasKept or lines.isLineEmpty(name) or followLost(name, lost) then
      tickets.lostLines[name] = nil
    end
    return true
  end
  name = next(tickets.wonLines)
  if name then
    tickets.wonLines[name] = nil
    if state.wasKept and not lines.isLineEmpty(name) then
      activateKept(name)
      active.exemptLines[name] = ''
    end
  end
  return name ~= nil
end

-- Looks at the tickets whose turn has come in a line, behind an order: from whom nothing is kept because of them.
-- Returns the order of the last one if there are more.
local function followLine(name, after)
  local front, seen = turns.frontOf(name), {}
  local limit = work.done + MAX_STEP_WORK
  for _, one in ipairs(front) do
    if one.ticket.order > after then
      activateExemptBy(one.ticket, seen)
      if work.done > limit then
        return one.ticket.order
      end
    end
  end
end

-- Looks at one of movedTickets, or a line of exemptLines: from whom nothing is kept because of it. Returns false if
-- there is none.
function active.followExempt()
  local order, ticket = next(tickets.movedTickets)
  if order then
    tickets.movedTickets[order] = nil
    if state.hasKept and ticket.order == order and ticket.status == 'attended' then
      activateExemptBy(ticket, {})
    end
    return true
  end
  local name, after = next(active.exemptLines)
  if name then
    active.exemptLines[name] = state.hasKept and not lines.isLineEmpty(name) and followLine(name, after) or nil
  end
  return name ~= nil
end

function active.open()
  -- The journal's length up to which changes were looked at.
  active.settledTo = 0
  -- active[name]: what still has to be looked at in a line. Fields:
  --   after, skipped  the last ticket that was looked at in vain, and how many were
  --   next            the next ticket to look at, false for none, nil if it was not looked up
  --   isJoinable      a system requester took a slot of it, which others may join
  --   isKept          looked at since less of it may be kept now: only its first tickets are
  -- activeRequesters[requester]: the last of its tickets that was looked at, '' for none.
  active.active, active.activeRequesters = {}, {}
  active.activeCount = 0
  peeked = {}
  -- exemptLines[name]: a line in which other tickets may be next now; the order up to which they were looked at.
  active.exemptLines = {}
end

return active
