-- What a change in one line means for tickets that wait elsewhere (docs/specification.md#waiting-order). Whose turn it
-- is in a line decides what is kept in others. It is a part of active.lua.
local followTurned, followExempt
-- exemptLines[name]: a line in which other tickets may be next now; the order up to which they were looked at.
local exemptLines = {}
-- The block keeps the queue's function below the 200 local variables that Lua allows.
do
  -- Activates the line of a resource if some of it is free, or may be joined: less may be kept there now. Forgets that
  -- something is kept in it if nothing waits there any more.
  local function activateKept(name)
    local isFree = freeAt(name) > 0
    local isKept = (isFree or isJoinable(name)) and
      (nthOf(name .. '\nw', 1) or nthOf(name .. '\nv', 1) or nthOf(name .. '\nf', 1)) ~= nil
    if isKept then
      activate(name, not isFree, true)
    elseif state.hasKept and isLineKept(name) then
      setMember('\4', name, false)
      state.hasKept = nthOf('\4', 1) ~= nil
    end
  end

  -- Activates the first tickets of the first lines in which something is kept.
  local function activateFirstKept()
    local MAX_KEPT_LINES = 16
    for n = MAX_KEPT_LINES, 1, -1 do
      local name = nthOf('\4', n)
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
    for _, slot in ipairs(heldSlotsOf(name)) do
      local record = recordAt(slot)
      local owner = record.owner
      local declarer = string.match(owner, '^system:(.+)$')
      spend(0.5)
      if isSharedHold(slot, record) and record.refCount > MAX_SHARERS then
        activateFirstKept()
      elseif isSharedHold(slot, record) then
        for holder in string.gmatch(record.holders or '', '[^\n]+') do
          spend(0.5)
          activeRequesters[holder] = activeRequesters[holder] or ''
        end
      elseif not declarer then
        activeRequesters[owner] = ''
      elseif depth < MAX_DEPTH then
        activateHolders(declarer, depth + 1, seen)
      end
    end
  end

  -- Activates the requesters from which nothing is kept because a ticket is next.
  local function activateExemptBy(ticket, seen)
    local waitsFor, isShort
    if isNext(ticket) then
      waitsFor, isShort = waitsForNow(ticket)
    end
    if isShort then
      activateHolders(waitsFor, 0, seen)
    end
  end

  -- A step that looks at several tickets stops after this much work, and goes on from where it was.
  local MAX_STEP_WORK = 1500

  -- Activates the lines in which a ticket may have kept something, if it is not next any more.
  local function activateUnkept(ticket)
    for _, name in ipairs(#ticket.lines > 1 and not isNext(ticket) and ticket.lines or {}) do
      if isLineKept(name) then
        activateKept(name)
      end
    end
  end

  -- Looks at the tickets of a line of which the turn had come before `lost.count` more slots were lacked ahead of them.
  -- Returns true if that is all; else notes how far it came.
  local function followLost(name, lost)
    local limit, i, j, order = work + MAX_STEP_WORK, 1, 1, nil
    local own, count, keys = definition(name), 0, {}
    local most = math.min(own and own.capacity or 1, MAX_TURNS) + lost.count
    for _ = 1, MAX_WALK do
      order, i, j = nextInLine(name, i, j)
      local ticket = order and ticketAt(order, (nextInLine(name, i, j)))
      for _, key in ipairs(ticket and lackedAt(ticket, name) or {}) do
        count = count + (keys[key] and 0 or 1)
        keys[key] = true
      end
      if not ticket or count > most then
        return true
      elseif order > lost.after then
        activateUnkept(ticket)
        if work > limit then
          lost.after = order
          return false
        end
      end
    end
    return true
  end

  -- Looks at a line of lostLines, or one of wonLines: at what is not kept any more because of it. Returns false if
  -- there is none.
  followTurned = function()
    local name, lost = next(lostLines)
    if name then
      if not state.hasKept or isLineEmpty(name) or followLost(name, lost) then
        lostLines[name] = nil
      end
      return true
    end
    name = next(wonLines)
    if name then
      wonLines[name] = nil
      if state.wasKept and not isLineEmpty(name) then
        activateKept(name)
        exemptLines[name] = ''
      end
    end
    return name ~= nil
  end

  -- Looks at the tickets whose turn has come in a line, behind an order: from whom nothing is kept because of them.
  -- Returns the order of the last one if there are more.
  local function followLine(name, after)
    local front, seen = frontOf(name), {}
    local limit = work + MAX_STEP_WORK
    for _, one in ipairs(front) do
      if one.ticket.order > after then
        activateExemptBy(one.ticket, seen)
        if work > limit then
          return one.ticket.order
        end
      end
    end
  end

  -- Looks at one of movedTickets, or a line of exemptLines: from whom nothing is kept because of it. Returns false if
  -- there is none.
  followExempt = function()
    local order, ticket = next(movedTickets)
    if order then
      movedTickets[order] = nil
      if state.hasKept and ticket.order == order and ticket.status == 'attended' then
        activateExemptBy(ticket, {})
      end
      return true
    end
    local name, after = next(exemptLines)
    if name then
      exemptLines[name] = state.hasKept and not isLineEmpty(name) and followLine(name, after) or nil
    end
    return name ~= nil
  end
end
