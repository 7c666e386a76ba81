-- From whom nothing is kept, since a next ticket waits for what they hold (docs/specification.md#waiting-order). A part
-- of keeping.lua.
-- Returns what a ticket waits for now: the first line in its plan in which it lacks something that is not free; else
-- what it waited for when last looked at, unless its requester has that. Returns true if it is not free; nil if none.
local function waitsForNow(ticket)
  local last, entries = nil, entriesOf(ticket) or {}
  spend(#entries / 2)
  for _, entry in ipairs(entries) do
    local name = entry.slot or entry.resource
    local lacks = isLacked(entry, ownerOf(entry, ticket.requester), ticket.requester)
    -- A SHARED hold may be joined.
    local mayJoin = entry.isShared and recordAt(name) and isSharedHold(name, recordAt(name))
    if lacks and not mayJoin and freeAt(name) < (entry.left or 1) then
      return name, true
    elseif lacks and not mayJoin and entry.slot and freeAt(entry.resource) == 0 then
      return entry.resource, true
    elseif (lacks or entry.role == 'blocker') and (name == ticket.waitsFor or entry.resource == ticket.waitsFor) then
      last = ticket.waitsFor
    end
  end
  return last, last and freeAt(last) == 0
end

local isExempt
-- The block keeps the queue's function (waiting/open.lua) below the 200 local variables that Lua allows.
do
  local function holdsNow(requester, name)
    local held = knownNow().held
    held[requester] = held[requester] or {}
    if held[requester][name] == nil then
      held[requester][name] = holds(requester, name, 0)
    end
    return held[requester][name]
  end

  -- Returns true if a requester holds what a ticket waits for. The requester's own ticket does not count.
  local function isWaitedForBy(ticket, requester)
    if ticket.order == judged.rank then
      return false
    end
    spend(#ticket.lines / 4)
    for _, line in ipairs(ticket.lines) do
      -- It waits for one of its lines. Most requesters hold none of them, which takes least time to see.
      if holdsNow(requester, line) then
        local name = isNext(ticket) and waitsForNow(ticket)
        return name and holdsNow(requester, name) or false
      end
    end
    return false
  end

  -- Returns true if nothing is kept from a requester, since a next ticket waits for what it holds: it must be able to
  -- finish. `keepers` are the tickets that keep what it asks for; they are looked at first, then 64 at the front of the
  -- queue.
  isExempt = function(requester, keepers)
    local MAX_NEXT = 64
    for _, ticket in ipairs(keepers) do
      if isWaitedForBy(ticket, requester) then
        return true
      end
    end
    for n = 1, MAX_NEXT do
      local order = nthOf('\1', n)
      local ticket = order and ticketAt(order, nthOf('\1', n + 1))
      if not order then
        break
      elseif ticket and isWaitedForBy(ticket, requester) then
        return true
      end
    end
    return false
  end
end
