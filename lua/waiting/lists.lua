-- Lists the tickets that wait, for those who look at the queue, at a resource, or at a requester.
local answer = require('waiting/answer')
local codec = require('slots/codec')
local itemForms = require('frame/items')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local queues = require('waiting/queues')
local naming = require('definitions/names')
local reasons = require('reservations/why')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local lists = {}

-- Returns what tells whether two names are the same, or mean the same: they are if they have one of these in common.
local function meaningsOf(name)
  local resource, slot = naming.resolve(name)
  return name .. '\n=', resource and resource .. '\n' .. (slot or '')
end

-- Notes the place of a name in a list of names, for placeOf().
function lists.addPlace(places, name, place)
  local same, meaning = meaningsOf(name)
  places[same] = places[same] or place
  if meaning then
    places[meaning] = places[meaning] or place
  end
end

-- Returns the first place of a name in `places` that the request of a ticket names; nil if it names none of them.
function lists.placeOf(ticket, places)
  local first
  for _, item in ipairs(ticket.items) do
    local same, meaning = meaningsOf(item.resource)
    local place = math.min(places[same] or math.huge, meaning and places[meaning] or math.huge)
    first = place < (first or math.huge) and place or first
  end
  return first
end

-- Returns what the items of a ticket ask for, as lines of its row: resources, counts and conditions (tabs between; ''
-- if all are for ready slots), and the longest of its leases in ms, '' for that of a session.
local function wantsOf(ticket)
  local resources, counts, conditions, isForReady, longest = {}, {}, {}, true, 0
  for i, item in ipairs(ticket.items) do
    local condition = itemForms.conditionOf(item)
    resources[i], counts[i], conditions[i] = item.resource, item.count or 1, condition or 'ready'
    isForReady = isForReady and not condition
    longest = math.max(longest, item.ttlMs)
  end
  return table.concat({
    table.concat(resources, '\t'), table.concat(counts, '\t'), isForReady and '' or table.concat(conditions, '\t'),
    ticket.session == '' and string.format('%.0f', longest) or '',
  }, '\n')
end

-- Returns a ticket's row (verbs/waiting.lua). `why`: who is in the way, '' if that is not asked for.
local function rowOf(ticket, why)
  return table.concat({
    tickets.ticketId(ticket), ticket.requester, wantsOf(ticket), ticket.method,
    100 - string.byte(ticket.order),
    string.format('%.0f', ticket.since), string.format('%.0f', ticket.endsAt), queues.toldName(ticket.waitsFor),
    ticket.status == 'attended' and 1 or 0, ticket.label,
    reasons.noteOf(ticket.items), why,
  }, '\n')
end

-- Returns who is in the way of a ticket. `known`: what was found for other tickets of the page.
local function whyOf(ticket, known)
  local key = answer.kindOf(ticket) .. ticket.waitsFor
  if queues.isOfMatch(ticket.waitsFor) then
    key = ticket.order
  end
  known[key] = known[key] or answer.whyWaiting(ticket, false)
  return known[key]
end

-- Returns the rows of the tickets after a cursor that match, and the next cursor; '' at the end. Looks at `limit`
-- tickets at most.
function lists.page(cursor, limit, requester, resource)
  local STEP, MAX_LISTED_WORK = 50, 1500
  local rows, last, looked, places, whys = {}, state.fromHex(cursor), 0, {}, {}
  if resource ~= '' then
    lists.addPlace(places, resource, 1)
  end
  -- At least once: a page without a row would be taken for the last one.
  repeat
    local members = redis.call('ZRANGE', keys.queues, '(\1' .. last, '(\2', 'BYLEX', 'LIMIT', 0, STEP)
    local orders = {}
    for i, member in ipairs(members) do
      orders[i] = string.sub(member, 2)
    end
    tickets.readTickets(orders)
    for i, order in ipairs(orders) do
      local ticket = tickets.ticketAt(order)
      if ticket and (requester == '' or ticket.requester == requester) and
        (resource == '' or lists.placeOf(ticket, places)) then
        work.spend(3)
        local why = whyOf(ticket, whys)
        rows[#rows + 1] = rowOf(ticket, why)
      end
      last = order
      if work.done >= MAX_LISTED_WORK and i < #orders then
        return rows, state.toHex(last)
      end
    end
    looked = looked + STEP
    if #members < STEP then
      return rows, ''
    end
  until looked >= limit or work.done >= MAX_LISTED_WORK
  return rows, state.toHex(last)
end

-- The kinds of members by which a ticket waits for the name of a queue.
local WAITING_KINDS = { w = true, v = true, u = true }

-- Adds the members of a queue to `found`, as {queue, order, rank}: the first ones of each kind. Returns how many
-- tickets wait for it.
local function addQueue(found, name, limit)
  local total = 0
  for kind in string.gmatch('dfluvw', '.') do
    local prefix = name .. '\n' .. kind
    local upper = '(' .. name .. '\n' .. string.char(string.byte(kind) + 1)
    local members = redis.call('ZRANGE', keys.queues, '[' .. prefix, upper, 'BYLEX', 'LIMIT', 0, limit)
    work.spend(3 + #members / 4)
    for _, member in ipairs(members) do
      found[#found + 1] = { queue = lines.lineOf(name), order = string.sub(member, #prefix + 1),
        rank = WAITING_KINDS[kind] and 0 or 1 }
    end
    if kind == 'w' or kind == 'v' then
      total = total + (#members < limit and #members or redis.call('ZLEXCOUNT', keys.queues, '[' .. prefix, upper))
    end
  end
  return total
end

-- Adds the members of the queues of a pool's slots, as addQueue() does.
local function addSlotQueues(found, name)
  local MAX_SLOT_MEMBERS, total = 300, 0
  local members = redis.call(
    'ZRANGE', keys.queues, '[' .. name .. '_0', '(' .. name .. '_:', 'BYLEX', 'LIMIT', 0, MAX_SLOT_MEMBERS
  )
  work.spend(#members / 2)
  for _, member in ipairs(members) do
    local queue, kind, order = string.match(string.sub(member, #name + 1), '^(_%d+)\n([dfluvw])(.*)$')
    if queue then
      found[#found + 1] = { queue = lines.lineOf(name .. queue), order = order, rank = WAITING_KINDS[kind] and 0 or 1 }
      total = total + ((kind == 'w' or kind == 'v') and 1 or 0)
    end
  end
  return total
end

-- Returns {place, row, ...} of the first tickets in the queue of a resource and, if it is a pool, in those of its
-- slots, in the order of the queue; and how many tickets wait for these.
function lists.firstInQueue(name, isPool, limit)
  local found = {}
  local total = 0
  lines.eachOf(name, function(queue)
    total = total + addQueue(found, queue, limit) + (isPool and addSlotQueues(found, queue) or 0)
  end)
  -- A ticket may be in several of the queues: that of what it waits for comes first.
  table.sort(found, function(one, other)
    if one.order == other.order then
      return one.rank < other.rank
    end
    return one.order < other.order
  end)
  local orders, places, rows = {}, {}, {}
  for _, one in ipairs(found) do
    if #orders < limit and one.order ~= orders[#orders] then
      orders[#orders + 1] = one.order
      places[#orders] = one.queue
    end
  end
  tickets.readTickets(orders)
  for i, order in ipairs(orders) do
    local ticket = tickets.ticketAt(order)
    if ticket then
      work.spend(3)
      rows[#rows + 1] = places[i]
      rows[#rows + 1] = rowOf(ticket, '')
    end
  end
  return rows, total
end

-- Returns the item by which a ticket waits for a name; its first item if it waits for it by another name.
local function itemFor(ticket, name)
  for _, item in ipairs(ticket.items) do
    if (naming.resolve(item.resource) or item.resource) == name then
      return item
    end
  end
  return ticket.items[1]
end

-- Returns the first tickets that wait for a name and have not been left by their callers, in the order of the queue:
-- each a text with a line for each of requester, the length of the lease that it wants in ms (0: while its session is
-- kept), the number of slots, note ('' none).
function lists.firstWaiters(name, limit)
  local orders, rows = {}, {}
  for _, kind in ipairs({ '\nw', '\nv' }) do
    for n = 1, limit do
      orders[#orders + 1] = queues.nthOf(name .. kind, n)
    end
  end
  table.sort(orders)
  for n = 1, math.min(limit, #orders) do
    local ticket = tickets.ticketAt(orders[n])
    if ticket then
      local item = itemFor(ticket, name)
      local ttlMs = ticket.session == '' and item.ttlMs or 0
      rows[#rows + 1] = table.concat({
        ticket.requester, string.format('%.0f', ttlMs), item.count or 1, reasons.noteOf(ticket.items),
      }, '\n')
    end
  end
  return rows
end

-- Returns the place of a ticket among those that wait for the same, from 1.
local function placeInQueue(ticket)
  local place = 1
  for _, kind in ipairs({ '\nw', '\nv' }) do
    local from = ticket.waitsFor .. kind
    work.spend(3)
    place = place + redis.call('ZLEXCOUNT', keys.queues, '[' .. from, '(' .. from .. ticket.order)
  end
  return place
end

-- Returns resource -> place of the first ticket of these requesters that asks for it, or waits for it.
function lists.placesOf(requesters)
  local MAX_TICKETS, DIGEST = 50, 8
  local places = {}
  for _, requester in ipairs(requesters) do
    for n = 1, MAX_TICKETS do
      local rest = queues.nthOf('\2' .. requester .. '\n', n)
      local ticket = rest and tickets.ticketAt(string.sub(rest, DIGEST + 1))
      if not ticket then
        break
      elseif ticket.status ~= 'granted' then
        local place = placeInQueue(ticket)
        local waitsFor = lines.lineOf(ticket.waitsFor)
        places[waitsFor] = places[waitsFor] or place
        for _, item in ipairs(ticket.items) do
          local resource = naming.resolve(item.resource) or item.resource
          places[resource] = places[resource] or place
        end
      end
    end
  end
  return places
end

-- Returns until when the grant of a ticket can be claimed, in ms; nil if it is over.
local function claimableUntil(ticket)
  local slot = string.match(ticket.slots, '[^\n]+')
  local record = slot and slotMap.recordAt(slot)
  return record and record.token == codec.UNCLAIMED and record.owner == ticket.requester and record.expiresAt or nil
end

-- Returns the row of a ticket (verbs/waiting.lua); nil if it is over.
local function standingOf(ticket)
  local isGranted = ticket.status == 'granted'
  local untilMs = isGranted and claimableUntil(ticket) or not isGranted and ticket.status ~= 'ended' and ticket.endsAt
  if not untilMs then
    return nil
  end
  return table.concat({
    isGranted and 1 or 0, isGranted and 0 or queues.countAhead(ticket.waitsFor, ticket.order),
    queues.toldName(ticket.waitsFor),
    string.format('%.0f', ticket.since), string.format('%.0f', untilMs),
    itemForms.isSharedItem(ticket.items[1]) and 'SHARED' or '', wantsOf(ticket),
  }, '\n')
end

-- Returns a row for each of the first tickets of a requester.
function lists.standings(requester)
  local MAX_ROWS = 50
  local prefix = '\2' .. requester .. '\n'
  local members = redis.call(
    'ZRANGE', keys.queues, '[' .. prefix, '(\2' .. requester .. '\11', 'BYLEX', 'LIMIT', 0, MAX_ROWS
  )
  local rests, orders, rows = {}, {}, {}
  for i, member in ipairs(members) do
    rests[i], orders[i] = string.sub(member, #prefix + 1), string.sub(member, -8)
  end
  tickets.readTickets(orders)
  for _, rest in ipairs(rests) do
    local ticket = tickets.ticketAt(rest)
    rows[#rows + 1] = ticket and standingOf(ticket) or nil
  end
  return rows
end

return lists
