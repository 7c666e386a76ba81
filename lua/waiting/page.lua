-- The name of a line as callers see it.
local itemForms = require('frame/items')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local matching = require('reservations/match')
local naming = require('definitions/names')
local needs = require('waiting/needs')
local reasons = require('reservations/why')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local pages = {}

-- Returns the name by which callers know what a line is for.
function pages.toldName(line)
  return string.sub(line, 1, 1) == lines.MATCH and string.sub(line, 2) or line
end

-- Whether the request of a ticket names some resource.

-- Returns what tells whether two names are the same, or mean the same: they are if they have one of these in common.
local function meaningsOf(name)
  local resource, slot = naming.resolve(name)
  return name .. '\n=', resource and resource .. '\n' .. (slot or '')
end

-- Notes the place of a name in a list of names, for placeOf().
function pages.addPlace(places, name, place)
  local same, meaning = meaningsOf(name)
  places[same] = places[same] or place
  if meaning then
    places[meaning] = places[meaning] or place
  end
end

-- Returns the first place of a name in `places` that the request of a ticket names; nil if it names none of them.
function pages.placeOf(ticket, places)
  local first
  for _, item in ipairs(ticket.items) do
    local same, meaning = meaningsOf(item.resource)
    local place = math.min(places[same] or math.huge, meaning and places[meaning] or math.huge)
    first = place < (first or math.huge) and place or first
  end
  return first
end

-- Describes who is in the way of a ticket.

-- Returns true if a resource is above another one in the tree.
local function isAbove(name, resource)
  local above = resource and registry.definition(resource) and registry.definition(resource).parent or ''
  while above ~= name and above ~= '' and registry.definition(above) do
    above = registry.definition(above).parent
  end
  return above == name and registry.definition(name) ~= false
end

-- Returns the kind of what a ticket waits for if that is what an item names.
local function kindOfOwn(name, item)
  local hold = itemForms.isSharedItem(item) and slotMap.recordAt(name)
  local isKept = needs.freeAt(name) >= (item.count or 1) or hold and shared.isSharedHold(name, hold)
  return isKept and 'QUEUE' or 'SLOTS'
end

-- Returns what kind of thing a ticket waits for (whyNot() in reservations/why.lua).
local function kindOf(ticket)
  local name, kind = ticket.waitsFor, 'BLOCKER'
  for _, item in ipairs(ticket.items) do
    local resource, slot = naming.resolve(item.resource)
    if name == resource or name == slot then
      return kindOfOwn(name, item)
    end
    kind = isAbove(name, resource) and 'ANCESTOR' or kind
  end
  return needs.freeAt(name) > 0 and 'QUEUE' or kind
end

-- Returns the first resources that fit a match, of the first few that have the first of its labels.
local function fittingFor(match)
  local MAX_FITTING = 50
  local prefix, found = 'l' .. string.match(match, '^[^\n]*'), {}
  local members = tenant.labelled and redis.call(
    'ZRANGE', keys.index, '[' .. prefix .. '\n', '(' .. prefix .. '\11', 'BYLEX', 'LIMIT', 0, MAX_FITTING
  ) or {}
  for _, member in ipairs(members) do
    local name = string.sub(member, #prefix + 2)
    work.spend(5)
    if matching.fitsMatch(match, name) then
      found[#found + 1] = name
    end
  end
  return found
end

-- Returns who is in the way of a ticket, as whyNot() does. `before` is as there.
function pages.whyWaiting(ticket, before)
  local name, match = pages.toldName(ticket.waitsFor), tickets.matchOf(ticket)
  if match then
    return reasons.whyNot('SLOTS', name, fittingFor(match), false)
  end
  return reasons.whyNot(kindOf(ticket), name, { name }, before)
end

-- Lists the tickets that wait.

-- Returns a ticket's row (verbs/waiting/waiting.lua). `why`: who is in the way, '' if that is not asked for.
local function rowOf(ticket, why)
  local resources = {}
  for i, item in ipairs(ticket.items) do
    resources[i] = item.resource
  end
  return table.concat({
    tickets.ticketId(ticket), ticket.requester, table.concat(resources, '\t'), ticket.method,
    100 - string.byte(ticket.order),
    string.format('%.0f', ticket.since), string.format('%.0f', ticket.endsAt), pages.toldName(ticket.waitsFor),
    ticket.status == 'attended' and 1 or 0, ticket.label,
    reasons.noteOf(ticket.items), why,
  }, '\n')
end

-- Returns who is in the way of a ticket. `known`: what was found for other tickets of the page.
local function whyOf(ticket, known)
  local key = kindOf(ticket) .. ticket.waitsFor
  if string.sub(ticket.waitsFor, 1, 1) == lines.MATCH then
    key = ticket.order
  end
  known[key] = known[key] or pages.whyWaiting(ticket, false)
  return known[key]
end

-- Returns the rows of the tickets after a cursor that match, and the next cursor; '' at the end. Looks at `limit`
-- tickets at most.
function pages.page(cursor, limit, requester, resource)
  local STEP, MAX_LISTED_WORK = 50, 1500
  local rows, last, looked, places, whys = {}, state.fromHex(cursor), 0, {}, {}
  if resource ~= '' then
    pages.addPlace(places, resource, 1)
  end
  -- At least once: a page without a row would be taken for the last one.
  repeat
    local members = redis.call('ZRANGE', keys.lines, '(\1' .. last, '(\2', 'BYLEX', 'LIMIT', 0, STEP)
    local orders = {}
    for i, member in ipairs(members) do
      orders[i] = string.sub(member, 2)
    end
    tickets.readTickets(orders)
    for i, order in ipairs(orders) do
      local ticket = tickets.ticketAt(order)
      if ticket and (requester == '' or ticket.requester == requester) and
        (resource == '' or pages.placeOf(ticket, places)) then
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

-- Finds those who wait for one resource, without looking at the rest of the queue.

-- The kinds of members by which a ticket waits for the name of a line.
local WAITING_KINDS = { w = true, v = true, u = true }

-- Adds the members of a line to `found`, as {line, order, rank}: the first ones of each kind. Returns how many tickets
-- wait for it.
local function addLine(found, name, limit)
  local total = 0
  for kind in string.gmatch('dfluvw', '.') do
    local prefix = name .. '\n' .. kind
    local upper = '(' .. name .. '\n' .. string.char(string.byte(kind) + 1)
    local members = redis.call('ZRANGE', keys.lines, '[' .. prefix, upper, 'BYLEX', 'LIMIT', 0, limit)
    work.spend(3 + #members / 4)
    for _, member in ipairs(members) do
      found[#found + 1] = { line = name, order = string.sub(member, #prefix + 1),
        rank = WAITING_KINDS[kind] and 0 or 1 }
    end
    if kind == 'w' or kind == 'v' then
      total = total + (#members < limit and #members or redis.call('ZLEXCOUNT', keys.lines, '[' .. prefix, upper))
    end
  end
  return total
end

-- Adds the members of the lines of a pool's slots, as addLine() does.
local function addSlotLines(found, name)
  local MAX_SLOT_MEMBERS, total = 300, 0
  local members = redis.call(
    'ZRANGE', keys.lines, '[' .. name .. '_0', '(' .. name .. '_:', 'BYLEX', 'LIMIT', 0, MAX_SLOT_MEMBERS
  )
  work.spend(#members / 2)
  for _, member in ipairs(members) do
    local line, kind, order = string.match(string.sub(member, #name + 1), '^(_%d+)\n([dfluvw])(.*)$')
    if line then
      found[#found + 1] = { line = name .. line, order = order, rank = WAITING_KINDS[kind] and 0 or 1 }
      total = total + ((kind == 'w' or kind == 'v') and 1 or 0)
    end
  end
  return total
end

-- Returns {place, row, ...} of the first tickets in the line of a resource and, if it is a pool, in those of its slots,
-- in the order of the queue; and how many tickets wait for these.
function pages.firstInLine(name, isPool, limit)
  local found = {}
  local total = addLine(found, name, limit) + (isPool and addSlotLines(found, name) or 0)
  -- A ticket may be in several of the lines: that of what it waits for comes first.
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
      places[#orders] = one.line
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

return pages
