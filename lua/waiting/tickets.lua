-- The digest of a request, by which the requests of one requester are told apart.
local callers = require('waiting/callers')
local itemForms = require('frame/items')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local work = require('frame/work')
local tickets = {}

-- Returns the digest of a request or ticket: the same for the same requester, method and items. It has 56 bits, in
-- bytes below 128 (lines.lua): with 32 bits, every hundredth requester with 10,000 tickets would have two of the same
-- digest.
function tickets.digestOf(request)
  if not request.digest then
    local parts, bytes = { request.requester, request.method }, {}
    for _, item in ipairs(request.items) do
      parts[#parts + 1] = tickets.itemKey(item)
      if item.options and item.options.match then
        parts[#parts + 1] = item.options.match .. '\n' .. (item.options.nth or 1)
      end
    end
    local hex = redis.sha1hex(table.concat(parts, '\n'))
    for i = 1, 8 do
      bytes[i] = tonumber(string.sub(hex, 2 * i - 1, 2 * i), 16) % 128
    end
    request.digest = string.char(unpack(bytes))
  end
  return request.digest
end

-- Notes what changes of tickets mean for whose turn it is (turns.lua). It is a part of tickets.lua.
-- Changes that may decide on other tickets, until turned.lua has looked at them.
--   wonLines[name]: true for a line in which tickets may have got their turn: one left it, or got what it lacked there
--   lostLines[name]: {count, after} for a line in which tickets may have lost their turn, since up to `count` slots
--   more are lacked ahead of them; `after` is the order up to which they were looked at, '' at first
--   movedTickets[order]: an attended ticket that joined, or waits for something else now

-- Notes that up to so many slots more are lacked in a line.
function tickets.noteLost(name, count)
  tickets.lostLines[name] = { count = count + (tickets.lostLines[name] and tickets.lostLines[name].count or 0), after = '' }
end

-- Calls note(name) for the lines of a ticket in which it counts.
local function eachLine(ticket, note)
  for _, name in ipairs(tickets.matchOf(ticket) and {} or ticket.lines) do
    note(name)
  end
end

-- Returns true if no ticket is behind this one in the queue.
local function isLast(ticket)
  work.spend(1)
  return redis.call('ZRANGE', keys.lines, '(\1' .. ticket.order, '(\2', 'BYLEX', 'LIMIT', 0, 1)[1] == nil
end

-- Tickets, as this script sees and changes them. The tickets hash has each one, packed, under its number (7 bytes). A
-- ticket is a table:
--   order       its place in the queue (lines.lua)
--   status      attended: a call waits for it. detached: no call does, and it is granted in its turn. away: its caller
--               vanished; it is passed over until a call comes back. granted: see grant.lua. ended
--   requester, label    who waits; label of the key, '' none
--   method      '' for a single item; ALL_OR_NONE or FIRST
--   items       array of {resource, ttlMs, type, count, options}; count nil: 1; options as in frame/items.lua, nil
--               none
--   since, endsAt       ms: when it was issued, and when it ends
--   claimMs     how long it stays attended after its call, and how long a grant waits to be claimed
--   heldUntil   ms: its calls end at the latest then
--   instance    the instances that hold its calls (callers.lua), '' none
--   due         ms: it must be looked at then (catchUp.lua)
--   lines       names of the resources and slots in its plan
--   waitsFor    the first of these that it lacked when it was last looked at
--   others      for FIRST: what its other items wait for
--   named       for FIRST: the names in the plans of all items
--   slots       once granted: the slots of its reservations, each followed by '\n'
--   grantedAt   ms
--   session     id of the session that keeps its turn and its reservations, '' none
--   dueBefore   the stored value of due; nil if the ticket is new

local FIELDS = {
  'status', 'requester', 'label', 'method', 'since', 'endsAt', 'claimMs', 'heldUntil', 'instance', 'due', 'waitsFor',
  'slots', 'grantedAt',
}

function tickets.numberOf(ticket)
  return string.sub(ticket.order, 2)
end

-- Returns a ticket's number in decimal, which names it outside of Redis.
function tickets.ticketId(ticket)
  return string.format('%.0f', (struct.unpack('>I7', ticket.order, 2)))
end

-- Returns what an item of a ticket is stored as, and what its plan is kept under: its name; or, if it is for several
-- slots, '<count>\127><name>'. No name has the control character.
local function itemName(item)
  return (item.count or 1) > 1 and item.count .. '\127>' .. item.resource or item.resource
end

-- Returns an item of a ticket as it was stored.
local function storedItem(name, ttlMs, type)
  local count, resource
  if string.find(name, '\127', 1, true) then
    count, resource = string.match(name, '^(%d+)\127>(.*)$')
  end
  return { resource = resource or name, ttlMs = ttlMs, type = type, count = tonumber(count) }
end

-- Returns what a ticket wants instead of a resource (reservations/match.lua); nil if it names one.
function tickets.matchOf(ticket)
  local options = ticket.items[1].options
  return options and options.match
end

function tickets.packTicket(ticket)
  local parts, items, options = {}, {}, nil
  for i, field in ipairs(FIELDS) do
    parts[i] = ticket[field]
  end
  for i, item in ipairs(ticket.items) do
    items[3 * i - 2], items[3 * i - 1], items[3 * i] = itemName(item), item.ttlMs, item.type
    if item.options then
      if item.options.match then
        items[3 * i - 2] = '\127' .. item.resource .. '>' .. (item.options.anchor or '')
      end
      options = options or {}
      options[tostring(i)] = item.options
    end
  end
  local first = items[1]
  local areLinesShort = #ticket.lines == 1 and ticket.lines[1] == first
  parts[#FIELDS + 1] = string.byte(ticket.order)
  parts[#FIELDS + 2] = items
  parts[#FIELDS + 3] = not areLinesShort and ticket.lines or 0
  parts[#FIELDS + 4] = #ticket.others > 0 and ticket.others or 0
  local hasSession = ticket.session ~= ''
  parts[#FIELDS + 5] = (hasSession or options or #ticket.named > 0) and ticket.named or nil
  parts[#FIELDS + 6] = options or hasSession and {} or nil
  parts[#FIELDS + 7] = hasSession and ticket.session or nil
  if ticket.waitsFor == first then
    parts[11] = 0
  end
  return cmsgpack.pack(parts)
end

local function unpackTicket(number, packed)
  local parts, ticket = cmsgpack.unpack(packed), { items = {} }
  for i, field in ipairs(FIELDS) do
    ticket[field] = parts[i]
  end
  ticket.order = string.char(parts[#FIELDS + 1]) .. number
  local items, options = parts[#FIELDS + 2], parts[#FIELDS + 6]
  ticket.session = parts[#FIELDS + 7] or ''
  local session = ticket.session ~= '' and tenant.sessions and tenant.sessions.at(ticket.session) or nil
  for i = 1, #items, 3 do
    local item = storedItem(items[i], items[i + 1], items[i + 2])
    item.session = session
    ticket.items[#ticket.items + 1] = item
  end
  for place, one in pairs(options or {}) do
    local item = ticket.items[tonumber(place)]
    item.options = one
    if one.match then
      item.resource, item.count = one.text, one.count
    end
  end
  local first, ticketLines, others = items[1], parts[#FIELDS + 3], parts[#FIELDS + 4]
  ticket.lines = ticketLines == 0 and { first } or ticketLines
  ticket.others, ticket.named = others == 0 and {} or others, parts[#FIELDS + 5] or {}
  if ticket.waitsFor == 0 then
    ticket.waitsFor = first
  end
  ticket.dueBefore = ticket.due
  work.spend(3 + #packed / 100)
  return ticket
end

-- Reads tickets that were not read yet. Takes an array of orders.
function tickets.readTickets(orders)
  local missing = {}
  for _, order in ipairs(orders) do
    local number = string.sub(order, 2)
    if tickets.tickets[number] == nil then
      tickets.tickets[number] = false
      missing[#missing + 1] = number
    end
  end
  if #missing > 0 then
    work.spend(2)
    for i, packed in ipairs(redis.call('HMGET', keys.tickets, unpack(missing))) do
      tickets.tickets[missing[i]] = packed and unpackTicket(missing[i], packed)
    end
  end
end

-- Returns the ticket with an order or a number; nil if there is none. `following`: an order whose ticket is read too,
-- as it is likely to be needed; may be nil.
function tickets.ticketAt(order, following)
  local number = string.sub(order, -7)
  local ticket = tickets.tickets[number]
  if ticket == nil then
    tickets.readTickets({ '.' .. number, following or nil })
    ticket = tickets.tickets[number]
  end
  return ticket or nil
end

-- Returns what tells an item of a ticket from others: resource, count and mode.
function tickets.itemKey(item)
  return itemForms.isSharedItem(item) and '\1' .. itemName(item) or itemName(item)
end

-- The kind of a ticket's member in the line of what it waits for.
local KINDS = { attended = '\nw', detached = '\nv', away = '\nu' }

-- The prefix of the members for tickets that need more than LARGE slots: more than whose turn comes otherwise
-- (turns.lua).
local LARGE = 64
tickets.LARGE_PREFIX = '\8'

-- Calls visit(prefix, rest) for each member of the lines that a ticket has.
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
    callers.eachInstance(ticket.instance, function(instance)
      visit('\3' .. instance .. '\n', order)
    end)
    return
  end
  visit('\1', order)
  if itemForms.slotsOf(ticket.items) > LARGE then
    visit(tickets.LARGE_PREFIX, order)
  end
  local own, other = KINDS[status], status == 'attended' and '\nl' or '\nd'
  for _, name in ipairs(ticket.lines) do
    visit(name .. (name == ticket.waitsFor and own or other), order)
  end
  if status ~= 'attended' then
    visit(ticket.waitsFor .. own, order)
  end
  for _, name in ipairs(status ~= 'away' and ticket.others or {}) do
    visit(name .. '\nf', order)
  end
  for _, name in ipairs(ticket.named) do
    visit(name .. '\nd', order)
  end
  for _, item in ipairs(ticket.items) do
    local last = string.match(itemName(item), '>([^>]*)$')
    if last then
      visit('\7' .. last .. '\n', order)
    end
  end
end

-- Adds what a ticket counts to the state, or takes it away (change -1).
local function countTicket(ticket, change)
  if ticket.status == 'granted' then
    state.granted = state.granted + change
  elseif ticket.status and ticket.status ~= 'ended' then
    state.tickets = state.tickets + change
    state.items = state.items + change * itemForms.slotsOf(ticket.items)
  end
end

-- Moves a ticket from its members before a change (status nil: it had none) to those that it has now.
local function moveMembers(ticket, before)
  eachMember(ticket, function(prefix, rest)
    if before and before[prefix .. rest] then
      before[prefix .. rest] = nil
    else
      lines.setMember(prefix, rest, true)
    end
  end)
  for member, prefix in pairs(before or {}) do
    lines.setMember(prefix, string.sub(member, #prefix + 1), false)
  end
end

-- Changes fields of a ticket, and moves it in the lines as these fields say.
function tickets.changeTicket(ticket, fields)
  tickets.digestOf(ticket)
  local before, wasAttended
  local hasMoved = fields.order ~= nil and fields.order ~= ticket.order or
    fields.lines ~= nil and ticket.lines ~= nil and table.concat(fields.lines, '\n') ~= table.concat(ticket.lines, '\n')
  if ticket.status then
    before, wasAttended = {}, ticket.status == 'attended'
    eachMember(ticket, function(prefix, rest)
      before[prefix .. rest] = prefix
    end)
    countTicket(ticket, -1)
    if wasAttended and (hasMoved or fields.status and fields.status ~= 'attended') then
      eachLine(ticket, function(name)
        tickets.wonLines[name] = true
      end)
    end
  end
  for field, value in pairs(fields) do
    ticket[field] = value
  end
  countTicket(ticket, 1)
  moveMembers(ticket, before)
  if ticket.status == 'attended' then
    tickets.movedTickets[ticket.order] = ticket
    if (hasMoved or not wasAttended) and state.hasKept and not isLast(ticket) then
      eachLine(ticket, function(name)
        tickets.noteLost(name, itemForms.slotsOf(ticket.items))
      end)
    end
  end
  tickets.ticketChanges = tickets.ticketChanges + 1
  work.spend(25 + #ticket.lines * 6)
  local number = tickets.numberOf(ticket)
  tickets.tickets[number] = ticket.status ~= 'ended' and ticket
  if not ticket.isChanged then
    ticket.isChanged = true
    tickets.changedTickets[#tickets.changedTickets + 1] = ticket
  end
end

function tickets.open()
  tickets.wonLines, tickets.lostLines, tickets.movedTickets = {}, {}, {}
  tickets.tickets, tickets.changedTickets = {}, {}
  -- ticketChanges counts changes of tickets: what was derived from them before is out of date.
  tickets.ticketChanges = 0
end

return tickets
