-- Tickets, as this script sees and changes them. The tickets hash has each one, packed, under its number (7 bytes). A
-- ticket is a table:
--   order       its place in the queue (queues.lua)
--   status      attended: a call waits for it. detached: no call does, and it is granted in its turn. away: its caller
--               vanished; it is passed over until a call comes back. granted: see grant.lua. ended
--   requester, label    who waits; label of the key, '' none
--   method      '' for a single item; ALL_OR_NONE or FIRST
--   items       array of {resource, ttlMs, type, count, options}; count nil: 1; options as in frame/items.lua, nil
--               none. The resource of a match is its text
--   since, endsAt       ms: when it was issued, and when it ends
--   claimMs     how long it stays attended after its call, and how long a grant waits to be claimed
--   instance    the instances of its long polls, and until when (state.lua), '' none
--   due         ms: it must be looked at then (lifetimes.lua)
--   queues      names of the resources and slots in its plan; if it is loose (isLoose()), the queues of its matches
--   waitsFor    the first of these that it lacked when it was last looked at; if it is loose, what refused it
--   seen        W or \1: it was seen as next, and waited for W, or for nothing that was held (walks.lua); '' if not
--   others      for FIRST: what its other items wait for; if it is loose, what else was in its way
--   named       for FIRST, and if it is loose: the names in the plans of all items
--   slots       once granted: for each item, the slot of the reservation that was made for it, or nothing, and '\n'
--   grantedAt   ms
--   session     id of the session that keeps its turn and its reservations, '' none
--   dueBefore   the stored value of due; nil if the ticket is new
local itemForms = require('frame/items')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local tenant = require('frame/tenant')
local ticketForm = require('waiting/ticketForm')
local work = require('frame/work')
local tickets = {}

local FIELDS = {
  'status', 'requester', 'label', 'method', 'since', 'endsAt', 'claimMs', 'instance', 'due', 'waitsFor',
  'slots', 'grantedAt', 'seen',
}

function tickets.numberOf(ticket)
  return string.sub(ticket.order, 2)
end

-- Returns a ticket's number in decimal, which names it outside of Redis.
function tickets.ticketId(ticket)
  return ticketForm.idOf(ticket.order)
end

-- Returns what an item of a ticket is stored as, and what its plan is kept under: its name; or, if it is for several
-- slots, '<count>\127><name>'. No name has the control character.
function tickets.itemName(item)
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

-- Returns what an item wants instead of a resource (reservations/match.lua); nil if it names one.
function tickets.matchOf(item)
  return item.options and item.options.match
end

-- Returns true if an item of a ticket is a match. Such a ticket is loose: it has no plan, no turn, and keeps nothing.
function tickets.isLoose(ticket)
  if ticket.loose == nil then
    ticket.loose = false
    for _, item in ipairs(ticket.items) do
      ticket.loose = ticket.loose or tickets.matchOf(item) ~= nil
    end
  end
  return ticket.loose
end

-- Returns what the items of a ticket are stored as: name, ttlMs and type of each; and their options by place, nil none.
local function packItems(ticket)
  local items, options = {}, nil
  for i, item in ipairs(ticket.items) do
    items[3 * i - 2], items[3 * i - 1], items[3 * i] = tickets.itemName(item), item.ttlMs, item.type
    if item.options then
      if item.options.match then
        item.options.text, item.options.count = item.resource, item.count
        items[3 * i - 2] = ''
      end
      options = options or {}
      options[tostring(i)] = item.options
    end
  end
  return items, options
end

function tickets.packTicket(ticket)
  local parts, count = {}, #FIELDS
  for i, field in ipairs(FIELDS) do
    parts[i] = ticket[field]
  end
  local items, options = packItems(ticket)
  local areQueuesShort = #ticket.queues == 1 and ticket.queues[1] == items[1]
  parts[count + 1] = string.byte(ticket.order)
  parts[count + 2] = items
  parts[count + 3] = not areQueuesShort and ticket.queues or 0
  parts[count + 4] = #ticket.others > 0 and ticket.others or 0
  if ticket.session ~= '' then
    parts[count + 5], parts[count + 6], parts[count + 7] = ticket.named, options or {}, ticket.session
  elseif options or #ticket.named > 0 then
    parts[count + 5], parts[count + 6] = ticket.named, options
  end
  if ticket.waitsFor == items[1] then
    parts[10] = 0
  end
  return cmsgpack.pack(parts)
end

-- Returns the items of a ticket as packItems() stored them.
local function unpackItems(items, options, session)
  local all = {}
  for i = 1, #items, 3 do
    local item = storedItem(items[i], items[i + 1], items[i + 2])
    item.session = session
    all[#all + 1] = item
  end
  for place, one in pairs(options or {}) do
    local item = all[tonumber(place)]
    item.options = one
    if one.match then
      item.resource, item.count = one.text, one.count
    end
  end
  return all
end

local function unpackTicket(number, packed)
  local parts, ticket, count = cmsgpack.unpack(packed), {}, #FIELDS
  for i, field in ipairs(FIELDS) do
    ticket[field] = parts[i]
  end
  ticket.order = string.char(parts[count + 1]) .. number
  local items = parts[count + 2]
  ticket.session = parts[count + 7] or ''
  local session = ticket.session ~= '' and tenant.sessions and tenant.sessions.at(ticket.session) or nil
  ticket.items = unpackItems(items, parts[count + 6], session)
  ticket.queues = parts[count + 3] == 0 and { items[1] } or parts[count + 3]
  ticket.others = parts[count + 4] == 0 and {} or parts[count + 4]
  ticket.named = parts[count + 5] or {}
  if ticket.waitsFor == 0 then
    ticket.waitsFor = items[1]
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

-- Returns what tells an item of a ticket from others: resource, count, mode and condition.
function tickets.itemKey(item)
  local name = tickets.itemName(item)
  return itemForms.isSharedItem(item) and '\1' .. name or lines.queueFor(name, itemForms.conditionOf(item))
end

-- Returns the digest of a request or ticket, by which the requests of one requester are told apart: the same for the
-- same requester, method and items. It has 56 bits, in bytes below 128 (queues.lua): with 32 bits, every hundredth
-- requester with 10,000 tickets would have two of the same digest.
function tickets.digestOf(request)
  if not request.digest then
    local parts = { request.requester, request.method }
    for _, item in ipairs(request.items) do
      parts[#parts + 1] = tickets.itemKey(item)
      if item.options and item.options.match then
        parts[#parts + 1] = item.options.match .. '\n' .. (item.options.nth or 1) .. (item.options.prefix or '')
      end
    end
    request.digest = ticketForm.digestOf(table.concat(parts, '\n'))
  end
  return request.digest
end

function tickets.open()
  tickets.tickets, tickets.changedTickets = {}, {}
end

return tickets
