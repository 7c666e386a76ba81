-- Whose turn has come (docs/specification.md#waiting-order). A ticket's turn has come in a queue if it and the tickets
-- ahead of it there together lack no more slots than the resource has. A ticket is next if it is attended and its turn
-- has come in every queue in which it lacks something.
--
-- Limits of work: the turn of at most 64 slots comes in a queue, or of one ticket that lacks more, and at most 200
-- tickets of the queue are looked at, where one that asks for several slots counts for one ticket in each 8 of these. A
-- ticket behind them is not next, and keeps nothing. It is granted all the same when it can be.
local agenda = require('waiting/agenda')
local fitting = require('waiting/fitting')
local lines = require('waiting/lines')
local queues = require('waiting/queues')
local needs = require('waiting/needs')
local slotMap = require('slots/slots')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local turns = {}

local MAX_WALK, SLOTS_OF_WALK = 200, 8
turns.MAX_TURNS = 64
local BEHIND_ALL = '\255'
-- known[stamp]: what was found out in a state of slots and tickets. Kept of this state and of the one before, since a
-- request on paper is judged in both. Fields:
--   fronts[name]  the tickets whose turn has come in a queue, as far as it was walked:
--     list, set   of {ticket, lacked}, in order; of their orders
--     count, keys the slots that they lack; their keys
--     walked, i, j, isAll   how far the queue was walked (nextInQueue in queues.lua)
--     isBookable    whether its slots can be booked
--     asked         the slots that tickets ask for there, up to `counted`, an order; nextI, nextJ: likewise
--   isNext[order]  whether a ticket is next
--   needsMore[order]  whether it needs more slots than there are in their conditions
--   held[requester][name]  whether a requester holds something (keeping.lua)
--   views, latest, kept   by queue: which slots are booked (fitting.lua), when the first booking begins last of the
--                     free ones, and which of these are kept (keptSlots.lua); each nil if it was not found out
local known, latest

local function stamp()
  return (slotMap.journal[-#slotMap.journal] or -#slotMap.journal) * 1048576 + agenda.ticketChanges
end

local function newKnown()
  return { fronts = {}, isNext = {}, needsMore = {}, held = {} }
end

function turns.knownNow()
  local now = stamp()
  if now ~= latest then
    known = { [latest] = known[latest], [now] = known[now] or newKnown() }
    latest = now
  end
  return known[now]
end

-- Returns true if a ticket needs more slots in a line than there are, though its resource has more; or, if these can be
-- booked, more than fit it.
local function needsMoreAt(ticket, queue)
  local isLimited, isBookable = lines.limitsOf(queue)
  local there, all = 1, 1
  if isLimited then
    there, all = lines.slotsOf(queue)
  end
  return there < all and needs.neededAt(ticket, queue) > there or
    isBookable and not fitting.areEnough(turns.knownNow(), ticket, queue, (needs.neededAt(ticket, queue)))
end

-- Returns true if a ticket needs more slots in one of its lines than it could have there.
local function needsMore(ticket)
  local found = turns.knownNow().needsMore
  if found[ticket.order] == nil then
    found[ticket.order] = false
    for _, queue in ipairs(ticket.queues) do
      if needsMoreAt(ticket, queue) then
        found[ticket.order] = true
        break
      end
    end
  end
  return found[ticket.order]
end

-- Returns for how many tickets one counts that a walk comes to; nil: it is gone.
local function weightOf(ticket, name)
  return math.max(1, ticket and #needs.entriesIn(ticket, name) / SLOTS_OF_WALK or 0)
end

-- Counts what a ticket lacks in a queue of a resource whose slots can be booked: the slots that fit it bound its turn,
-- so that the turn of others may come behind one whose turn has not, while a slot is left. Returns true if its turn has
-- come.
local function countFitting(name, front, ticket, lacked)
  local keys, count = {}, front.count
  for _, key in ipairs(lacked) do
    if not front.keys[key] then
      keys[#keys + 1], count = key, count + 1
    end
  end
  local seen, isFirst = turns.knownNow(), #front.list == 0
  local needed = isFirst and needs.neededAt(ticket, name) or count
  -- The first may want a slot by name that is one of its others, too: it counts for no more slots than there are.
  while count > needed and not fitting.areEnough(seen, ticket, name, count) do
    count = count - 1
  end
  if count > turns.MAX_TURNS and not isFirst or not fitting.areEnough(seen, ticket, name, count) then
    return false
  end
  front.count = count
  for _, key in ipairs(keys) do
    front.keys[key] = true
  end
  return true
end

-- Counts what a ticket lacks in a queue. Returns true if its turn has come; else no more turns come there.
local function countLacked(_, front, _, lacked)
  for _, key in ipairs(lacked) do
    if not front.keys[key] then
      front.keys[key] = true
      front.count = front.count + 1
    end
  end
  if #front.list == 0 then
    -- It may want a slot by name that is one of its others, too. It never takes more slots than there are.
    front.count = math.min(front.count, front.limit)
  end
  return front.count <= front.limit and (front.count <= turns.MAX_TURNS or #front.list == 0)
end

-- Returns true if no more turns come in a queue behind a ticket whose turn has not. `isFull`: no slot was left for it.
local function isEnd(front, isFull, lacked)
  return not front.isBookable or isFull and #lacked > 0
end

-- Walks on to the next ticket of a queue. `isMore`: the ticket behind it is read too. Returns false at the end, or when
-- no more turns have come.
local function walkOn(name, front, isMore)
  local order
  order, front.i, front.j = queues.nextInQueue(name, front.i, front.j)
  local isFull = front.count >= math.min(front.limit, turns.MAX_TURNS)
  if not order or front.walked >= MAX_WALK then
    return false
  end
  work.spend(3)
  local ticket = tickets.ticketAt(order, isMore and queues.nextInQueue(name, front.i, front.j))
  front.walked = front.walked + weightOf(ticket, name)
  local lacked = ticket and not needsMore(ticket) and needs.lackedAt(ticket, name) or {}
  local hasCome = (front.isBookable and countFitting or countLacked)(name, front, ticket, lacked)
  if not hasCome and isEnd(front, isFull, lacked) then
    return false
  end
  front.last = order
  if hasCome and #lacked > 0 then
    front.list[#front.list + 1] = { ticket = ticket, lacked = lacked }
    front.set[order] = true
  end
  return true
end

-- Returns what is known of the tickets whose turn has come in a queue.
local function frontAt(name)
  local fronts = turns.knownNow().fronts
  local front = fronts[name]
  if not front then
    front = {
      list = {}, set = {}, count = 0, keys = {}, walked = 0, i = 1, j = 1, last = '',
      asked = 0, counted = '', nextI = 1, nextJ = 1,
      limit = lines.slotsOf(name), isAll = queues.isQueueEmpty(name),
    }
    local _
    _, front.isBookable = lines.limitsOf(name)
    fronts[name] = front
    work.spend(3)
  end
  return front
end

-- Returns the tickets whose turn has come in a queue: a list of {ticket, lacked}, in order.
function turns.frontOf(name)
  local front = frontAt(name)
  while not front.isAll do
    front.isAll = not walkOn(name, front, true)
  end
  return front.list
end

-- Returns true if a ticket and those ahead of it in a queue ask for so few slots there that its turn has come, whatever
-- they have of these: to find out what each of them lacks takes more time.
local function isNearFront(name, front, order)
  local limit = math.min(front.limit, turns.MAX_TURNS)
  while front.asked <= limit and front.counted < order do
    front.counted, front.nextI, front.nextJ = queues.nextInQueue(name, front.nextI, front.nextJ)
    front.counted = front.counted or BEHIND_ALL
    local ticket = front.counted ~= BEHIND_ALL and tickets.ticketAt(front.counted)
    front.asked = front.asked + (ticket and #needs.entriesIn(ticket, name) or 0)
    work.spend(1)
  end
  return front.asked <= limit
end

-- Returns true if a ticket lacks nothing in a queue, or its turn has come there.
local function hasTurn(name, ticket)
  local front, order = frontAt(name), ticket.order
  if front.set[order] or not front.isBookable and isNearFront(name, front, order) then
    return true
  end
  local lacked = needs.lackedAt(ticket, name)
  while not front.isAll and front.last < order do
    for _, key in ipairs(front.count >= front.limit and lacked or {}) do
      if not front.keys[key] then
        return false
      end
    end
    front.isAll = not walkOn(name, front)
  end
  return #lacked == 0 or front.set[order] == true
end

-- Returns true if a ticket is next.
function turns.isNext(ticket)
  local found = turns.knownNow().isNext
  if found[ticket.order] ~= nil then
    return found[ticket.order]
  end
  local is = ticket.status == 'attended' and not tickets.isLoose(ticket) and needs.entriesOf(ticket) ~= nil and
    not needsMore(ticket)
  work.spend(3 + (#ticket.queues - 1) / 4)
  for _, name in ipairs(is and ticket.queues or {}) do
    if not hasTurn(name, ticket) then
      is = false
      break
    end
  end
  found[ticket.order] = is
  return is
end

-- Returns true if no attended ticket is ahead of a rank in a queue. Rank nil is behind all tickets.
function turns.isFirst(name, rank)
  local order = queues.nextInQueue(name, 1, 1)
  return not order or rank ~= nil and order >= rank
end

-- Returns the nth ticket whose turn has come in a queue, as {ticket, lacked}; nil if there are fewer.
local function nthOfFront(name, n)
  local front = frontAt(name)
  while not front.list[n] and not front.isAll do
    front.isAll = not walkOn(name, front, true)
  end
  return front.list[n]
end

-- Returns true if tickets keep what one of them lacks by this key. Needs with the keys in `met` (a set, may be nil) do
-- not count, nor do slots that the same owners lack by name. Nothing is kept for users from those who clean.
local function isKept(lacked, key, met, isForCleaning)
  return not (isForCleaning and not (lacked.cleaning and lacked.cleaning[key])) and
    not (met and (met[key] or met[string.match(key, '^(.*)\n')]))
end

-- Returns the next tickets ahead of a rank in a queue if together they lack more than `free` slots there: as many of
-- them as do so, from the front on. Else nil. Rank nil is behind all tickets. The last two are as of isKept().
function turns.keepersOf(name, rank, free, met, isForCleaning)
  local kept, keepers, seen = 0, {}, {}
  local n, one = 1, not turns.isFirst(name, rank) and nthOfFront(name, 1)
  while one and not (rank and one.ticket.order >= rank) do
    if turns.isNext(one.ticket) then
      keepers[#keepers + 1] = one.ticket
      for _, key in ipairs(one.lacked) do
        if not seen[key] and isKept(one.lacked, key, met, isForCleaning) then
          seen[key] = true
          kept = kept + 1
        end
      end
      if kept > free then
        return keepers
      end
    end
    n = n + 1
    one = nthOfFront(name, n)
  end
end

function turns.open()
  known, latest = {}, ''
end

return turns
