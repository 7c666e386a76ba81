-- Changes tickets: moves them in the queues, and notes what settling has to look at because of that: a list of walks.
-- A walk goes through some tickets in the order of the queue. It is one member \5 of the queues, which says how far it
-- has come:
--   <order><kind><name>
-- The tickets of the walk from this order (8 bytes) on are still to be looked at. So the first member is the walk to go
-- on with, and tickets are looked at in the order of the queue, whichever walk they belong to. Kinds:
--   whether a ticket is next, compared with what was seen of it (walks.lua):
--     T  the tickets of the queue `name` whose turn has come, and those that were seen as next
--     O  the ticket whose order is `name`
--     n  the first tickets of the queue `name`, and the turns in their other queues: the resource has more or fewer
--        slots in their condition
--   what the condition of a slot changes:
--     c  none: it begins the walks for the lines of the slot `name`, as changes.touchLines() takes it
--   whether a ticket can be granted:
--     f  the first tickets that wait for `name`, while some of it is free; or for a match
--     j  the same, also while a blocker's hold of `name` can be joined
--     r  the tickets of the requester `name`
--     s  the ticket whose order is `name`
--     a  all tickets
-- Two walks of one kind and name that have come equally far are one.
local itemForms = require('frame/items')
local keys = require('frame/keys')
local queues = require('waiting/queues')
local state = require('waiting/state')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local agenda = {}

-- The place of a walk that has not begun: it is before all orders.
agenda.FRONT = string.rep('\0', 8)

-- Adds a walk, from the front on.
function agenda.addWalk(kind, name)
  queues.setMember('\5', agenda.FRONT .. kind .. name, true)
  state.isUnsettled = true
  work.spend(1)
end

-- Has those looked at from whom something was kept in a queue: less may be kept there now.
function agenda.stirKept(name)
  if queues.isNotedAsKept(name) then
    agenda.addWalk('j', name)
  end
end

-- Returns true if changed turns in a queue matter: if nothing is kept anywhere, only those do that were seen as next.
local function doTurnsMatter(name)
  return state.hasKept or queues.nthOf(name .. '\nk', 1) ~= nil
end

-- Has the turns in a queue looked at: they may have changed.
function agenda.stirTurns(name)
  if doTurnsMatter(name) then
    agenda.addWalk('T', name)
  end
end

-- Has the tickets looked at that a change of the condition of a slot may concern, in one of its lines. `isLimit`: the
-- line has more or fewer slots by that.
function agenda.stirLine(queue, isLimit)
  agenda.addWalk('j', queue)
  agenda.stirTurns(queue)
  if isLimit and state.hasKept then
    agenda.addWalk('n', queue)
  end
end

-- `seen` of a ticket that is next and waits for nothing, or of which that is not known yet.
agenda.NOTHING = '\1'

-- The kind of a ticket's member in the queue of what it waits for.
local KINDS = { attended = '\nw', detached = '\nv', away = '\nu' }

-- The prefix of the members for tickets that need more than LARGE slots: more than whose turn comes otherwise
-- (turns.lua).
local LARGE = 64
agenda.LARGE_PREFIX = '\6'

-- Adds what a ticket counts to the state, or takes it away (change -1).
local function countTicket(ticket, change)
  if ticket.status == 'granted' then
    state.granted = state.granted + change
  elseif ticket.status and ticket.status ~= 'ended' then
    state.tickets = state.tickets + change
    state.items = state.items + change * itemForms.slotsOf(ticket.items)
  end
end

-- Calls visit(name) for the queues of a ticket in which it counts.
function agenda.eachQueue(ticket, visit)
  for _, name in ipairs(tickets.isLoose(ticket) and {} or ticket.queues) do
    visit(name)
  end
end

-- Notes that a ticket is to be written.
local function noteChanged(ticket)
  if not ticket.isChanged then
    ticket.isChanged = true
    tickets.changedTickets[#tickets.changedTickets + 1] = ticket
  end
end

-- Changes what was seen of a ticket.
function agenda.setSeen(ticket, seen)
  work.spend(10)
  if (seen == '') ~= (ticket.seen == '') then
    for _, name in ipairs(ticket.queues) do
      work.spend(1.5)
      queues.setMember(name .. '\nk', ticket.order, seen ~= '')
    end
  end
  ticket.seen = seen
  noteChanged(ticket)
end

-- Returns the kind of a ticket's member for what it waits for, if it is not in the queue of that; nil if it is.
local function kindOutside(ticket)
  if ticket.status ~= 'attended' then
    return KINDS[ticket.status]
  end
  return tickets.isLoose(ticket) and not queues.isOfMatch(ticket.waitsFor) and KINDS.detached or nil
end

-- Calls visit(prefix, rest) for each member by which a ticket that waits stands in the queues of names.
local function eachNamed(ticket, visit)
  local order, isAttended = ticket.order, ticket.status == 'attended'
  local own, other = KINDS[ticket.status], isAttended and '\nl' or '\nd'
  for _, name in ipairs(ticket.queues) do
    visit(name .. (name == ticket.waitsFor and own or other), order)
  end
  for _, name in ipairs(ticket.seen ~= '' and ticket.queues or {}) do
    visit(name .. '\nk', order)
  end
  local kind = kindOutside(ticket)
  if kind then
    visit(ticket.waitsFor .. kind, order)
  end
  for _, name in ipairs(ticket.status ~= 'away' and ticket.others or {}) do
    visit(name .. '\nf', order)
  end
  for _, name in ipairs(ticket.named) do
    visit(name .. '\nd', order)
  end
end

-- Calls visit(prefix, rest) for each member of the queues that a ticket has.
local function eachMember(ticket, visit)
  local order, status = ticket.order, ticket.status
  if status == 'ended' or not status then
    return
  end
  visit('\2' .. ticket.requester .. '\n', ticket.digest .. order)
  if ticket.session ~= '' then
    visit('\8' .. ticket.session .. '\n', order)
  end
  if status == 'granted' then
    state.eachInstance(ticket.instance, function(instance)
      visit('\3' .. instance .. '\n', order)
    end)
    return
  end
  visit('\1', order)
  if itemForms.slotsOf(ticket.items) > LARGE then
    visit(agenda.LARGE_PREFIX, order)
  end
  eachNamed(ticket, visit)
  for _, item in ipairs(ticket.items) do
    local last = string.match(tickets.itemName(item), '>([^>]*)$')
    if last then
      visit('\7' .. last .. '\n', order)
    end
  end
end

-- Returns true if no ticket is behind this one in the queue.
local function isLast(ticket)
  work.spend(1)
  return redis.call('ZRANGE', keys.queues, '(\1' .. ticket.order, '(\2', 'BYLEX', 'LIMIT', 0, 1)[1] == nil
end

-- Moves a ticket from its members before a change (status nil: it had none) to those that it has now.
local function moveMembers(ticket, before)
  eachMember(ticket, function(prefix, rest)
    if before and before[prefix .. rest] then
      before[prefix .. rest] = nil
    else
      queues.setMember(prefix, rest, true)
    end
  end)
  for member, prefix in pairs(before or {}) do
    queues.setMember(prefix, string.sub(member, #prefix + 1), false)
  end
end

-- Begins the walks for a ticket that leaves its queues: those behind it may get their turn, and less may be kept.
local function stirLeft(ticket)
  agenda.eachQueue(ticket, agenda.stirKept)
  if ticket.status == 'attended' then
    agenda.eachQueue(ticket, agenda.stirTurns)
  end
  for _, name in ipairs(ticket.others) do
    agenda.stirKept(name)
  end
end

-- Begins the walks for a ticket that joins its queues, attended: those behind it may lose their turn.
local function stirJoined(ticket)
  if state.hasKept then
    agenda.addWalk('O', ticket.order)
  end
  -- Most tickets have one queue, in which no turn matters. That is known without a look at the queue.
  local isQuiet = #ticket.queues == 1 and not doTurnsMatter(ticket.queues[1])
  if not isQuiet and not isLast(ticket) then
    agenda.eachQueue(ticket, agenda.stirTurns)
  end
end

-- Returns true if fields that are to be changed move a ticket to other queues, or to another place in them.
local function moves(ticket, fields)
  return fields.status ~= nil and fields.status ~= ticket.status or
    fields.order ~= nil and fields.order ~= ticket.order or
    fields.queues ~= nil and (not ticket.queues or table.concat(fields.queues, '\n') ~= table.concat(ticket.queues,
    '\n'))
end

-- Notes whether a ticket asks for slots that are not ready.
local function noteConditions(items)
  for _, item in ipairs(items) do
    state.hasConditions = state.hasConditions or itemForms.conditionOf(item) ~= nil
  end
end

-- Changes fields of a ticket, and moves it in the queues as these fields say.
function agenda.changeTicket(ticket, fields)
  tickets.digestOf(ticket)
  local before
  local hasMoved = moves(ticket, fields)
  noteConditions(fields.items or {})
  if ticket.status then
    before = {}
    eachMember(ticket, function(prefix, rest)
      before[prefix .. rest] = prefix
    end)
    countTicket(ticket, -1)
    if hasMoved and ticket.status ~= 'granted' then
      stirLeft(ticket)
    end
  end
  for field, value in pairs(fields) do
    ticket[field] = value
  end
  if ticket.status ~= 'attended' then
    ticket.seen = ''
  end
  countTicket(ticket, 1)
  moveMembers(ticket, before)
  agenda.ticketChanges = agenda.ticketChanges + (hasMoved and 1 or 0)
  if ticket.status == 'attended' and hasMoved then
    stirJoined(ticket)
  elseif ticket.status == 'attended' and fields.waitsFor and state.hasKept then
    agenda.addWalk('O', ticket.order)
  end
  work.spend(25 + #ticket.queues * 6)
  local number = tickets.numberOf(ticket)
  tickets.tickets[number] = ticket.status ~= 'ended' and ticket
  noteChanged(ticket)
end

-- Notes that tickets were relied on: something was refused since they are next.
function agenda.rely(keepers)
  for _, ticket in ipairs(keepers) do
    if ticket.seen == '' then
      agenda.setSeen(ticket, agenda.NOTHING)
    end
  end
end

function agenda.open()
  -- ticketChanges counts changes of who stands in which queue: what was derived from that before is out of date.
  agenda.ticketChanges = 0
end

return agenda
