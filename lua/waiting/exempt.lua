-- From whom nothing is kept, since a next ticket waits for what they hold, themselves or through one of their
-- reservations (docs/specification.md#waiting-order).
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local ownership = require('reservations/owners')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tickets = require('waiting/tickets')
local turns = require('waiting/turns')
local work = require('frame/work')
local exempt = {}
local holds

-- Returns true if a requester's reservations need the hold of an owner at a slot. A hold of system:<resource> is needed
-- by whoever holds the resource.
function exempt.isHeldThrough(requester, slot, owner, depth)
  if owner == requester then
    return true
  end
  local MAX_DEPTH = 6
  local declarer = string.match(owner, '^system:(.+)$')
  return declarer ~= nil and depth < MAX_DEPTH and holds(requester, declarer, depth + 1, slot)
end

-- Of pools with more slots than these, the held ones are not looked for.
exempt.MAX_SEARCHED = 32

-- Returns the held slots of a resource, also those that it has from an earlier capacity. Of a pool with many slots,
-- none is looked at, and of the others, only those below a limit are.
function exempt.heldSlotsOf(name)
  local STEP = 16
  local own = registry.definition(name)
  local found = { slotMap.recordAt(name) and name or nil }
  local left = own and own.pooled and own.capacity <= exempt.MAX_SEARCHED and pools.poolOf(name).held or 0
  for from = 0, exempt.MAX_SEARCHED - STEP, STEP do
    if left == 0 then
      break
    end
    local slots = {}
    for i = 1, STEP do
      slots[i] = name .. '_' .. from + i - 1
    end
    work.spend(1)
    slotMap.readSlots(slots)
    for _, slot in ipairs(slots) do
      local record = slotMap.recordAt(slot)
      if record and record.pool == name then
        left = left - 1
        found[#found + 1] = slot
      end
    end
  end
  return found
end

-- Returns true if a hold of a requester may be why a blocker's slot is held. It is not if it is a reservation, no other
-- one uses it, and its plan does not have the slot; nor if it is a further slot of a reservation, of which the first
-- one is looked at. Slot nil: any will do.
local function isReason(record, slot)
  if slot and slotMap.isFurther(record) then
    return false
  end
  return not slot or not record.token or record.refCount > 1 or
    string.find('\n' .. record.plan, '\n' .. slot .. '\n', 1, true) ~= nil
end

-- Returns true if a requester holds a resource, or one slot of it, itself or through one of its reservations. If a
-- blocker's slot is given, only the holds count that may be why it is held.
function holds(requester, name, depth, blocked)
  local own = registry.definition(name)
  work.spend(1)
  local assigned = own and own.pooled and ownership.assignedSlot(name, requester)
  if assigned and isReason(slotMap.recordAt(assigned), blocked) then
    return true
  end
  for _, slot in ipairs(exempt.heldSlotsOf(name)) do
    local record = slotMap.recordAt(slot)
    if shared.isSharedHold(slot, record) then
      local share = slotMap.recordAt(shared.shareOf(slot, requester))
      if share and isReason(share, blocked) then
        return true
      end
    elseif record.owner == requester and isReason(record, blocked) or
      record.owner ~= requester and exempt.isHeldThrough(requester, blocked or slot, record.owner, depth) then
      return true
    end
  end
  return false
end

-- Returns true if an entry wants a SHARED hold that it may join.
local function mayJoin(entry, name)
  local record = entry.isShared and slotMap.recordAt(name)
  return record and shared.isSharedHold(name, record)
end

-- Returns the name of what an entry lacks that is not free: its slot, or its pool, of which all that the ticket lacks
-- has to be free together; nil if it is free. Counts in `wanted` what the entries so far lack of each pool.
local function shortOf(entry, name, owner, wanted)
  local resource, count = entry.resource, wanted[entry.resource] or 0
  local key = name .. '\n' .. owner .. '\n' .. (entry.role == 'further' and entry.left or '')
  if needs.freeAt(name) == 0 then
    return name
  elseif not wanted[key] and needs.freeAt(resource) - count < (entry.left or 1) then
    return resource
  end
  wanted[resource], wanted[key] = count + (wanted[key] and 0 or 1), true
end

-- Returns what a ticket waits for now: the first line in its plan in which it lacks something that is not free; else
-- what it waited for when last looked at, unless its requester has that. Returns true if it is not free; nil if none.
function exempt.waitsForNow(ticket)
  local last, entries, wanted = nil, needs.entriesOf(ticket) or {}, {}
  work.spend(#entries)
  for _, entry in ipairs(entries) do
    local resource, owner = entry.resource, needs.ownerOf(entry, ticket.requester)
    local name = entry.slot or resource
    local lacks = needs.isLacked(entry, owner, ticket.requester)
    local short = lacks and not mayJoin(entry, name) and shortOf(entry, name, owner, wanted)
    if short then
      return short, true
    elseif (lacks or entry.role == 'blocker') and (name == ticket.waitsFor or resource == ticket.waitsFor) then
      last = ticket.waitsFor
    end
  end
  return last, last and needs.freeAt(last) == 0
end

local function holdsNow(requester, name)
  local held = turns.knownNow().held
  held[requester] = held[requester] or {}
  if held[requester][name] == nil then
    held[requester][name] = holds(requester, name, 0)
  end
  return held[requester][name]
end

-- Returns true if a requester holds what a ticket waits for. The requester's own ticket does not count.
local function isWaitedForBy(ticket, requester)
  if ticket.order == exempt.judged.rank then
    return false
  end
  work.spend(#ticket.lines / 4)
  for _, line in ipairs(ticket.lines) do
    -- It waits for one of its lines. Most requesters hold none of them, which takes least time to see.
    if holdsNow(requester, line) then
      local name = turns.isNext(ticket) and exempt.waitsForNow(ticket)
      return name and holdsNow(requester, name) or false
    end
  end
  return false
end

-- Returns true if nothing is kept from a requester, since a next ticket waits for what it holds: it must be able to
-- finish. `keepers` are the tickets that keep what it asks for; they are looked at first, then 64 at the front of the
-- queue.
function exempt.isExempt(requester, keepers)
  local MAX_NEXT = 64
  for _, ticket in ipairs(keepers) do
    if isWaitedForBy(ticket, requester) then
      return true
    end
  end
  for n = 1, MAX_NEXT do
    local order = lines.nthOf('\1', n)
    local ticket = order and tickets.ticketAt(order, lines.nthOf('\1', n + 1))
    if not order then
      break
    elseif ticket and isWaitedForBy(ticket, requester) then
      return true
    end
  end
  return false
end

function exempt.open()
  -- The request that is judged. Fields:
  --   rank       the order of its ticket; nil for a request without one
  --   isExcused  true while it is carried out although it takes what is kept
  exempt.judged = { rank = nil, isExcused = false }
end

return exempt
