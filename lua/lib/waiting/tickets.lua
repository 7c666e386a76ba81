-- Tickets, as this script sees and changes them. The tickets hash has each one, packed, under its number (7 bytes). A
-- ticket is a table:
--   order       its place in the queue (lines.lua)
--   status      attended: a call waits for it. detached: no call does, and it is granted in its turn. away: its caller
--               vanished; it is passed over until a call comes back. granted: see grant.lua. ended
--   requester, label    who waits; label of the key, '' none
--   method      '' for a single item; ALL_OR_NONE or FIRST
--   items       array of {resource, ttlMs, type}
--   since, endsAt       ms: when it was issued, and when it ends
--   claimMs     how long it stays attended after its call, and how long a grant waits to be claimed
--   heldUntil   ms: its call ends at the latest then
--   instance    the instance that holds its call, '' none
--   due         ms: it must be looked at then (catchUp.lua)
--   lines       names of the resources and slots in its plan
--   waitsFor    the first of these that it lacked when it was last looked at
--   others      for FIRST: what its other items wait for
--   slots       once granted: the slots of its reservations, each followed by '\n'
--   grantedAt   ms
--@include waiting/lines
local tickets, changedTickets = {}, {}
local FIELDS = {
  'status', 'requester', 'label', 'method', 'since', 'endsAt', 'claimMs', 'heldUntil', 'instance', 'due', 'waitsFor',
  'slots', 'grantedAt',
}

local function numberOf(ticket)
  return string.sub(ticket.order, 2)
end

-- Returns a ticket's number in decimal, which names it outside of Redis.
local function ticketId(ticket)
  return string.format('%.0f', (struct.unpack('>I7', ticket.order, 2)))
end

local function packTicket(ticket)
  local parts, items = {}, {}
  for i, field in ipairs(FIELDS) do
    parts[i] = ticket[field]
  end
  for i, item in ipairs(ticket.items) do
    items[3 * i - 2], items[3 * i - 1], items[3 * i] = item.resource, item.ttlMs, item.type
  end
  local first = ticket.items[1].resource
  local areLinesShort = #ticket.lines == 1 and ticket.lines[1] == first
  parts[#FIELDS + 1] = string.byte(ticket.order)
  parts[#FIELDS + 2] = items
  parts[#FIELDS + 3] = not areLinesShort and ticket.lines or 0
  parts[#FIELDS + 4] = #ticket.others > 0 and ticket.others or 0
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
  local items = parts[#FIELDS + 2]
  for i = 1, #items, 3 do
    ticket.items[#ticket.items + 1] = { resource = items[i], ttlMs = items[i + 1], type = items[i + 2] }
  end
  local first, ticketLines, others = ticket.items[1].resource, parts[#FIELDS + 3], parts[#FIELDS + 4]
  ticket.lines = ticketLines == 0 and { first } or ticketLines
  ticket.others = others == 0 and {} or others
  if ticket.waitsFor == 0 then
    ticket.waitsFor = first
  end
  spend(3 + #packed / 100)
  return ticket
end

-- Reads tickets that were not read yet. Takes an array of orders.
local function readTickets(orders)
  local missing = {}
  for _, order in ipairs(orders) do
    local number = string.sub(order, 2)
    if tickets[number] == nil then
      tickets[number] = false
      missing[#missing + 1] = number
    end
  end
  if #missing > 0 then
    spend(2)
    for i, packed in ipairs(redis.call('HMGET', ticketsKey, unpack(missing))) do
      tickets[missing[i]] = packed and unpackTicket(missing[i], packed)
    end
  end
end

-- Returns the ticket with an order or a number; nil if there is none.
local function ticketAt(order)
  local number = string.sub(order, -7)
  local ticket = tickets[number]
  if ticket == nil then
    readTickets({ '.' .. number })
    ticket = tickets[number]
  end
  return ticket or nil
end

-- Returns the digest of a request: the same for the same requester, method and items.
local function digestOf(requester, method, items)
  local parts = { requester, method }
  for _, item in ipairs(items) do
    parts[#parts + 1] = item.resource
  end
  return string.sub(redis.sha1hex(table.concat(parts, '\n')), 1, 8)
end

-- Calls visit(prefix, rest) for each member of the lines that a ticket has.
local function eachMember(ticket, visit)
  local order, status = ticket.order, ticket.status
  if status == 'ended' or not status then
    return
  end
  visit('\2' .. ticket.requester .. '\n', ticket.digest .. order)
  if status == 'granted' then
    if ticket.instance ~= '' then
      visit('\3' .. ticket.instance .. '\n', order)
    end
    return
  end
  visit('\1', order)
  if status == 'attended' then
    for _, name in ipairs(ticket.lines) do
      visit(name .. (name == ticket.waitsFor and '\nw' or '\nl'), order)
    end
  else
    visit(ticket.waitsFor .. (status == 'detached' and '\nv' or '\nu'), order)
  end
  if status ~= 'away' then
    for _, name in ipairs(ticket.others) do
      visit(name .. '\nf', order)
    end
  end
end

-- ticketChanges counts changes of tickets: what was derived from them before is out of date.
local ticketChanges = 0

-- Adds what a ticket counts to the state, or takes it away (change -1).
local function countTicket(ticket, change)
  if ticket.status == 'granted' then
    state.granted = state.granted + change
  elseif ticket.status and ticket.status ~= 'ended' then
    state.tickets = state.tickets + change
    state.items = state.items + change * #ticket.items
  end
end

-- Changes fields of a ticket, and moves it in the lines as these fields say.
local function changeTicket(ticket, fields)
  ticket.digest = ticket.digest or digestOf(ticket.requester, ticket.method, ticket.items)
  local before = {}
  eachMember(ticket, function(prefix, rest)
    before[prefix .. rest] = { prefix, rest }
  end)
  countTicket(ticket, -1)
  for field, value in pairs(fields) do
    ticket[field] = value
  end
  countTicket(ticket, 1)
  eachMember(ticket, function(prefix, rest)
    if before[prefix .. rest] then
      before[prefix .. rest] = nil
    else
      setMember(prefix, rest, true)
    end
  end)
  for _, member in pairs(before) do
    setMember(member[1], member[2], false)
  end
  ticketChanges = ticketChanges + 1
  spend(25 + #ticket.lines * 6)
  local number = numberOf(ticket)
  tickets[number] = ticket.status ~= 'ended' and ticket
  if not ticket.isChanged then
    ticket.isChanged = true
    changedTickets[#changedTickets + 1] = ticket
  end
end
