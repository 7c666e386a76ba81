-- What was seen of tickets that are next. A ticket is refused what is kept for next tickets ahead of it. It is looked
-- at again if one of these is not next any more; or if a next ticket waits for what its requester holds, from whom
-- nothing is kept then. So a ticket has a note (`seen`) of whether it was next, and what it waited for. If that has
-- changed, those whom it concerns are looked at. Between two changes of holds, or of who stands in which line, the note
-- of a ticket changes once at most.
local agenda = require('waiting/agenda')
local changing = require('waiting/changeTicket')
local exempt = require('waiting/exempt')
local lines = require('waiting/lines')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local turns = require('waiting/turns')
local work = require('frame/work')
local seen = {}

function seen.isSystem(owner)
  return string.sub(owner, 1, 7) == 'system:'
end

-- `seen` of a ticket that is next and waits for nothing that is held, or of which that is not known yet.
local NOTHING = '\1'

-- Notes that tickets were relied on: something was refused since they are next.
function seen.rely(keepers)
  for _, ticket in ipairs(keepers) do
    if ticket.seen == '' then
      changing.setSeen(ticket, NOTHING)
    end
  end
end

-- Returns true if blockers hold a slot of a resource, so that others may join their holds.
function seen.isJoinable(name)
  for _, slot in ipairs(exempt.heldSlotsOf(name)) do
    if seen.isSystem(slotMap.recordAt(slot).owner) then
      return true
    end
  end
  return false
end

local MAX_SHARERS, MAX_DEPTH = 64, 6

-- Has the first ones looked at from whom something is kept: it would take too long to find out who holds something.
local function walkKept()
  local MAX_KEPT_LINES = 16
  for n = 1, MAX_KEPT_LINES do
    local name = lines.nthOf('\4', n)
    if name then
      agenda.addWalk('j', name)
    end
  end
end

-- Has those looked at who hold a slot SHARED.
local function walkSharers(record)
  if record.refCount > MAX_SHARERS then
    return walkKept()
  end
  for holder in string.gmatch(record.holders or '', '[^\n]+') do
    agenda.addWalk('r', holder)
  end
end

-- Has the tickets looked at of all who hold a resource, themselves or through their reservations. `visited`: the
-- resources for which this was done.
local function walkHolders(name, depth, visited)
  if visited[name] then
    return
  end
  visited[name] = true
  local own = registry.definition(name)
  if own and own.pooled and own.capacity > exempt.MAX_SEARCHED then
    walkKept()
  end
  for _, slot in ipairs(exempt.heldSlotsOf(name)) do
    local record = slotMap.recordAt(slot)
    local declarer = string.match(record.owner, '^system:(.+)$')
    work.spend(0.5)
    if shared.isSharedHold(slot, record) then
      walkSharers(record)
    elseif not declarer then
      agenda.addWalk('r', record.owner)
    elseif depth < MAX_DEPTH then
      walkHolders(declarer, depth + 1, visited)
    end
  end
end

-- Compares whether a ticket is next, and what it waits for, with what was seen.
function seen.lookAtTurn(ticket)
  local now = ''
  if ticket.status == 'attended' and turns.isNext(ticket) then
    local waitsFor, isShort = exempt.waitsForNow(ticket)
    now = isShort and waitsFor or NOTHING
  end
  if now == ticket.seen then
    return
  end
  changing.setSeen(ticket, now)
  if now == '' then
    changing.eachLine(ticket, agenda.stirKept)
  elseif now ~= NOTHING and state.hasKept then
    walkHolders(now, 0, {})
  end
end

return seen
