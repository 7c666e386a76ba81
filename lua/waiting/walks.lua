-- The walks of agenda.lua: which tickets each of them goes through, and what is noted of those that are next.
local agenda = require('waiting/agenda')
local ceasing = require('waiting/ceasing')
local conditions = require('slots/conditions')
local exempt = require('waiting/exempt')
local heldSlots = require('waiting/heldSlots')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local queues = require('waiting/queues')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local turns = require('waiting/turns')
local wanted = require('reservations/wanted')
local work = require('frame/work')
local walks = {}

-- Of the tickets that wait in a queue, or of a requester, so many are looked at; of those that wait for a match, fewer.
local MAX_LOOKS, MAX_MATCH_LOOKS = 64, 16
-- Of those for a bookable resource: the slots that are free may fit none of the first ones.
local MAX_BOOKABLE_LOOKS = 500

local function earlier(one, other)
  return (not one or other and other < one) and other or one
end

-- Returns the orders of the next tickets that wait, behind a place ('(') or from it on ('['), as they are stored.
function walks.ordersFrom(bracket, from)
  local PAGE = 20
  local orders = redis.call('ZRANGE', keys.queues, bracket .. '\1' .. from, '(\2', 'BYLEX', 'LIMIT', 0, PAGE)
  work.spend(3 + #orders / 4)
  for i, member in ipairs(orders) do
    orders[i] = string.sub(member, 2)
  end
  tickets.readTickets(orders)
  return orders
end

-- The page of orders to which a walk through all tickets has come.
local page

-- firstOf[kind](name, from): the order of the first ticket of a walk that is not before a place; nil for none.
local firstOf = {}

function firstOf.T(name, from)
  local first = queues.firstFrom(name .. '\nk', from, math.huge)
  for _, one in ipairs(state.hasKept and turns.frontOf(name) or {}) do
    if one.ticket.order >= from then
      return earlier(first, one.ticket.order)
    end
  end
  return first
end

-- Returns how many tickets are looked at that wait in a queue.
local function looksAt(name)
  if queues.isOfMatch(name) then
    return MAX_MATCH_LOOKS
  end
  local _, isBookable = lines.limitsOf(name)
  return isBookable and MAX_BOOKABLE_LOOKS or MAX_LOOKS
end

function firstOf.f(name, from)
  local limit, first = looksAt(name), nil
  for _, kind in ipairs({ '\nw', '\nv', '\nf' }) do
    first = earlier(first, queues.firstFrom(name .. kind, from, limit))
  end
  return first
end

firstOf.j = firstOf.f

function firstOf.n(name, from)
  return earlier(firstOf.f(name, from), queues.firstFrom(name .. '\nl', from, MAX_LOOKS))
end

function firstOf.r(name, from)
  local orders = queues.ordersIn('\2' .. name .. '\n', MAX_LOOKS)
  return orders[queues.placeIn(orders, from)]
end

function firstOf.s(order, from)
  return order >= from and order or nil
end

firstOf.O = firstOf.s

function firstOf.a(_, from)
  if not (page[1] and page[1] < from and from <= page[#page]) then
    page = walks.ordersFrom('[', from)
  end
  return page[queues.placeIn(page, from)]
end

-- Returns true if something of a resource may be had though none of its slots counts as free: blockers hold a slot, so
-- that others may join their holds; or a hold from an earlier capacity counts as one of the ready slots
-- (slots/conditions.lua), of which one can be had by its name all the same.
local function mayHaveMore(name)
  local own = registry.definition(name)
  local isCountedLow = own and own.pooled and own.hasConditions
  for _, slot in ipairs(heldSlots.of(name)) do
    local isJoinable = slotMap.declarerOf(slotMap.recordAt(slot).owner)
    if isJoinable or isCountedLow and not conditions.isSlot(name, slot) then
      return true
    end
  end
  return false
end

-- Returns true if something of what a walk is for can be had.
function walks.isOpen(kind, name)
  if kind ~= 'f' and kind ~= 'j' or queues.isOfMatch(name) or lines.freeAt(name) > 0 then
    return true
  elseif kind == 'j' then
    return mayHaveMore((lines.lineOf(name)))
  end
  local record = slotMap.recordAt((lines.lineOf(name)))
  return record and slotMap.declarerOf(record.owner)
end

-- Forgets that something of a queue is kept if that is not free any more, or nobody waits for it.
local function endWalk(kind, name)
  if
    (kind == 'f' or kind == 'j') and queues.isNotedAsKept(name) and
    not (walks.isOpen('j', name) and firstOf.f(name, agenda.FRONT))
  then
    queues.setMember('\4', name, false)
    state.hasKept = queues.nthOf('\4', 1) ~= nil
  end
end

-- Returns the order that follows one.
local function orderAfter(order)
  return string.sub(order, 1, 1) .. struct.pack('>I7', struct.unpack('>I7', order, 2) + 1)
end

-- Moves the first walk on. Returns its kind, the order of the ticket to look at, and its name; nil if there is none
-- before other walks go on. A walk for a slot (c) has no tickets, and ends.
function walks.moveOn()
  local walk = queues.nthOf('\5', 1)
  local from, kind, name = string.sub(walk, 1, 8), string.sub(walk, 9, 9), string.sub(walk, 10)
  work.spend(3)
  queues.setMember('\5', walk, false)
  if kind == 'c' then
    return kind, nil, name
  end
  local order = walks.isOpen(kind, name) and firstOf[kind](name, from)
  local other = queues.nthOf('\5', 1)
  if not order then
    endWalk(kind, name)
  elseif other and other < order then
    queues.setMember('\5', order .. kind .. name, true)
  else
    queues.setMember('\5', orderAfter(order) .. kind .. name, true)
    return kind, order, name
  end
end

-- Facts about tickets that are next. A ticket is refused what is kept for next tickets ahead of it. It is looked
-- at again if one of these is not next any more; or if a next ticket waits for what its requester holds, from whom
-- nothing is kept then. So a ticket has a note (`seen`) of whether it was next, and what it waited for. If that has
-- changed, those whom it concerns are looked at. Between two changes of holds, or of who stands in which queue, the
-- note of a ticket changes once at most.

local MAX_SHARERS, MAX_DEPTH = 64, 6

-- Has the first ones looked at from whom something is kept: it would take too long to find out who holds something.
local function walkKept()
  local MAX_KEPT_QUEUES = 16
  for n = 1, MAX_KEPT_QUEUES do
    local name = queues.nthOf('\4', n)
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
  if own and own.pooled and own.capacity > heldSlots.MAX_SEARCHED then
    walkKept()
  end
  for _, slot in ipairs(heldSlots.of(name)) do
    local record = slotMap.recordAt(slot)
    local declarer = slotMap.declarerOf(record.owner)
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
function walks.lookAtTurn(ticket)
  local now = ''
  if ticket.status == 'attended' and turns.isNext(ticket) then
    now = exempt.waitsForNow(ticket) or agenda.NOTHING
    ceasing.watch(ticket)
  end
  if now == ticket.seen then
    return
  end
  agenda.setSeen(ticket, now)
  if now == '' then
    agenda.eachQueue(ticket, agenda.stirKept)
  elseif now ~= agenda.NOTHING and state.hasKept then
    walkHolders(lines.lineOf(now), 0, {})
  end
end

-- The matches that tickets wait for (docs/specification.md#any-resource-that-fits). They are few, since each is
-- compared with every labelled resource that becomes free.
walks.MAX_MATCHES = 100

-- Begins walks for the matches that a resource fits which has a free slot again.
function walks.activateMatches(name)
  local own = tenant.labelled and queues.nthOf('\9', 1) and registry.definition(name)
  if not own or not own.hasLabels then
    return
  end
  for n = walks.MAX_MATCHES, 1, -1 do
    local text, match = string.match(queues.nthOf('\9', n) or '', '^([^\n]*)\n(.*)$')
    if text and wanted.fits(wanted.by(match, string.match(text, '\127.*\127(.*)$')), name) then
      agenda.addWalk('f', '\8' .. text)
    end
  end
end

function walks.open()
  page = {}
end

return walks
