-- Finds the requesters from which nothing is kept now (docs/specification.md#waiting-order), and the lines that others
-- may join now. It is a part of active.lua.
local activateExempt
-- The block keeps the queue's function below the 200 local variables that Lua allows.
do
  -- Activates the requesters that hold a resource, themselves or through their reservations.
  local function activateHolders(name, depth)
    local MAX_DEPTH = 6
    for _, slot in ipairs(heldSlotsOf(name)) do
      local record = recordAt(slot)
      local owner = record.owner
      local declarer = string.match(owner, '^system:(.+)$')
      spend(0.5)
      if isSharedHold(slot, record) then
        for holder in string.gmatch(record.holders or '', '[^\n]+') do
          spend(0.5)
          activeRequesters[holder] = activeRequesters[holder] or ''
        end
      elseif not declarer then
        activeRequesters[owner] = ''
      elseif depth < MAX_DEPTH then
        activateHolders(declarer, depth + 1)
      end
    end
  end

  -- Activates the line of a resource that is not free, if blockers hold some of it: others may join these holds now,
  -- also if no work is left for kept lines. Only the first tickets are looked at.
  local function activateJoinable(name)
    if active[name] == nil and freeAt(name) == 0 and isJoinable(name) then
      active[name] = { skipped = MAX_TURNS - MAX_KEPT_LOOKS, isJoinable = true }
    end
  end

  -- Activates the requesters from which nothing is kept because a ticket is next.
  local function activateExemptBy(ticket)
    local waitsFor, isShort
    if isNext(ticket) then
      waitsFor, isShort = waitsForNow(ticket)
    end
    if isShort then
      activateHolders(waitsFor, 0)
    end
  end

  -- Looks at the lines in which tickets have changed, for a limited time. Activates the requesters from which nothing
  -- is kept now, since a ticket that is next waits for what they hold; and the lines in which less is kept.
  activateExempt = function()
    local MAX_EXEMPT_WORK = 300
    local limit = work + MAX_EXEMPT_WORK
    local names = state.wasKept and turnedLines or {}
    turnedLines = {}
    for name, turned in pairs(names) do
      if turned == true then
        activateJoinable(name)
        for _, one in ipairs(work < limit and frontOf(name) or {}) do
          activateExemptBy(one.ticket)
        end
      else
        for _, ticket in ipairs(turned) do
          if ticket.status == 'attended' and work < limit then
            activateExemptBy(ticket)
          end
        end
      end
    end
  end
end
