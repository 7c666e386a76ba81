-- Verbs that tell what pages show of resources.
local availability = require('reservations/availability')
local freeSlots = require('slots/freeSlots')
local itemForms = require('frame/items')
local queues = require('waiting/queues')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local planning = require('reservations/plan')
local readiness = require('reservations/readiness')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local work = require('frame/work')
local verbs = {}

--[[ resource (ARGV[1] credential)
  Returns what the page of a resource shows: its definition, who holds some of its slots, what a reservation of it takes
  along, and who waits for it. The name may be that of a slot, a path, or a name that means nothing.

  ARGV[2]  name
  ARGV[3]  slotNumber of the first slot to look at, if it is a pool
  ARGV[4]  maximum number of slots

  Returns {'OK', head, blockers, holds, slots, plan, tickets, conditions}:
  head      lines: the resource ('' the name means nothing), the slot ('' the name is not that of a slot), 1 if it is
            registered, else 0, capacity, its kind (registry.kindOf()), number of held slots, number of tickets that
            wait for it or one of its slots, path of its ancestors ('>' between, '' none), number of slots that a
            request can have, numbers of slots that are out of service and that have to be cleaned, 1 if they are dirty
            after use, else 0, and each label
  blockers  the blockers that it declares
  holds     the slots that are held, each as reservations/texts.lua describes it. One that is held SHARED is followed by
            the reservations of the first who hold it
  slots     the number of slots that the reply covers: one call does a limited amount of work
  plan      an item for each of the first entries of its plan without itself: lines of ancestor or blocker, the resource
            or slot, capacity (0 if the name is not valid), number of held slots, the owner ('' none, or it has
            several slots), and out or dirty if that is why no slot of it can be had, else ''
  tickets   {place, row, ...}: the first that wait for it, or want it and wait for something else, in the order of the
            queue; place: the resource or slot; rows as in verbs/waiting.lua
  conditions  the slots that are not ready, of those that the reply covers, as reservations/readiness.lua describes them
]]
local MAX_SHARES, STEP, MAX_PIECE_WORK, MAX_PLAN, MAX_TICKETS = 20, 20, 2000, 100, 50

-- Returns an entry of the plan, as a text.
local function entryText(entry)
  work.spend(3)
  local name = entry.slot or entry.resource
  if entry.invalid then
    return table.concat({ entry.role, name, 0, 0, '', '' }, '\n')
  end
  local own = registry.definition(entry.resource)
  if not entry.slot and own and own.pooled then
    return table.concat({
      entry.role, name, own.capacity, freeSlots.heldOf(name), '', readiness.whyNotReady(name, own),
    }, '\n')
  end
  local record = slotMap.recordAt(name)
    return table.concat({
    entry.role, name, not entry.slot and own and own.capacity or 1, record and 1 or 0, record and record.owner or '',
    readiness.inTheWay(name),
  }, '\n')
end

-- Returns the first entries of the plan of a resource, without itself.
local function entriesOf(resource, slot)
  local plan, entries = { entries = {}, seen = {}, bytes = 0 }, {}
  planning.addTo(plan, resource, slot, '', 'own')
  for _, entry in ipairs(plan.entries) do
    if entry.role ~= 'own' and #entries < MAX_PLAN then
      entries[#entries + 1] = entryText(entry)
    end
  end
  return entries
end

-- Returns the names of the slots to look at. A pool may be held under its plain name, from before it was registered,
-- and so may a group.
local function slotsToShow(name, capacity, from, limit)
  local names = from == 0 and { name } or {}
  if capacity > 1 then
    for slotNumber = from, math.min(from + limit, capacity) - 1 do
      names[#names + 1] = name .. '_' .. slotNumber
    end
  end
  return names
end

-- Adds the reservations of those who hold a slot SHARED.
local function addShares(holds, held)
  local slots = {}
  for requester in string.gmatch(slotMap.recordAt(held).holders or '', '[^\n]+') do
    if #slots < MAX_SHARES then
      slots[#slots + 1] = shared.shareOf(held, requester)
    end
  end
  slotMap.readSlots(slots)
  for _, slot in ipairs(slots) do
    local record = slotMap.recordAt(slot)
    if record then
      holds[#holds + 1] = texts.holdText(held, 1, record)
    end
  end
end

-- Returns the slots that are held, and how many were looked at: at least one, since a reply that covers no slot would
-- be taken for the last one.
local function holdsIn(names)
  local holds, covered = {}, 0
  while covered < #names and (covered == 0 or work.done < MAX_PIECE_WORK) do
    local last = math.min(covered + STEP, #names)
    slotMap.readSlots({ unpack(names, covered + 1, last) })
    for i = covered + 1, last do
      local record = slotMap.recordAt(names[i])
      if record then
        holds[#holds + 1] = texts.slotText(names[i])
        if shared.isSharedHold(names[i], record) then
          addShares(holds, names[i])
        end
      end
    end
    covered = last
  end
  return holds, covered
end

-- Returns the first tickets in the queue, and how many there are.
local function ticketsFor(name, isPool)
  if tenant.openQueue() then
    return tenant.queue.firstInQueue(name, isPool, MAX_TICKETS)
  end
  return {}, 0
end

-- The definition that stands for a name without one.
local UNREGISTERED = { capacity = 1, isGroup = false, isDirtied = false }

local function headOf(name, resource, slot, waiting)
  local own = resource and registry.definition(resource)
  local path = own and naming.pathOf(resource) or ''
  local free, out, dirty = readiness.countsOf(name, own)
  local shown = own or UNREGISTERED
  return table.concat({
    resource or '', slot or '', own and 1 or 0, shown.capacity, registry.kindOf(shown),
    freeSlots.heldOf(name), waiting, string.sub(path, 1, math.max(0, #path - #name - 1)), free, out, dirty,
    shown.isDirtied and 1 or 0, unpack(own and naming.labelsOf(resource) or {}),
  }, '\n')
end

verbs.resource = reading.freeVerb('read', function(_, args)
  naming.readMeanings({ args[2] })
  local resource, slot = naming.resolve(args[2])
  local name, own = resource or args[2], resource and registry.definition(resource)
  local capacity, from = (own or UNREGISTERED).capacity, tonumber(args[3])
  local entries = own and entriesOf(resource, slot) or {}
  local shown = slotsToShow(name, capacity, from, tonumber(args[4]))
  local holds, covered = holdsIn(shown)
  local rows, waiting = ticketsFor(name, own and capacity > 1)
  return {
    'OK', headOf(name, resource, slot, waiting), own and naming.blockersOf(resource) or {}, holds,
    tostring(from == 0 and covered - 1 or covered), entries, rows,
    readiness.texts(name, own, { unpack(shown, own and own.pooled and from == 0 and 2 or 1, covered) }),
  }
end)

--[[ states (ARGV[1] credential)
  Returns what pages show of some resources: what they are, whether they are free, who holds them and who is next.

  ARGV[2]  maximum number of slots to describe of a pool, at most 16
  ARGV[3]  at most 4 requesters whose slots of a pool are described in any case, each followed by '\n'
  ARGV[4]  the first name, as requests have it; the other names follow

  Returns {'OK', {resource, ticket, ..., condition, ..., slot, ...}, ...}: the first tickets that wait for it, as
  firstWaiters() in waiting/lists.lua describes them; those of its slots that are not ready, as
  reservations/readiness.lua does; and slots as reservations/texts.lua does: first, if a blocker keeps others from the
  resource, the slot whose reservation holds that blocker; then its own slots, of a pool from the first one on, and then
  those that the requesters have. A resource is a text with a line for each of: name, 1 if it is registered, else 0,
  capacity, 1 if it is a group, else 0, number of held slots, number of tickets that wait for it, number of those that
  follow, place of the given requesters in its queue (0: they do not wait for it),
  path of its ancestors ('' none), the first of these that has no free slot ('' none), the blocker that keeps others
  from it ('' none, or no slot is free anyway), number of slots that a request can have, numbers of slots that are out
  of service and that have to be cleaned, number of conditions that follow, out or dirty if that is why that ancestor
  has no free slot, the same of the blocker, and each label. One call does a limited amount of work, so the reply may
  cover only the first names.
]]
local MAX_STATES_WORK, MAX_WAITERS = 2500, 5

local function placesInQueue(requesters)
  return tenant.openQueue() and tenant.queue.placesOf(requesters) or {}
end

-- Returns true if a registered resource has no free slot. A group has none that could be held.
local function isFull(name, own)
  return not own.isGroup and readiness.countsOf(name, own) == 0
end

-- Returns the path of a resource's ancestors, the first of them, from the root down, that has no free slot, and whether
-- it or one of them has blockers.
local function aboveOf(own)
  local path, full, parent, hasBlockers = {}, '', own.parent, own.hasBlockers
  while parent ~= '' and registry.definition(parent) do
    table.insert(path, 1, parent)
    local one = registry.definition(parent)
    if isFull(parent, one) then
      full = parent
    end
    hasBlockers = hasBlockers or one.hasBlockers
    parent = one.parent
  end
  work.spend(#path)
  return table.concat(path, '>'), full, hasBlockers
end

-- Returns the path of a resource's ancestors ('' none), the first of these without a free slot ('' none), and the
-- blocker that keeps others from it ('' none) with the slot whose reservation holds that.
local function inTheWayOf(resource, own)
  if not own then
    return '', '', ''
  end
  local above, full, hasBlockers = aboveOf(own)
  if not hasBlockers or full ~= '' or own.isGroup or isFull(resource, own) then
    return above, full, ''
  end
  local blocker, slot = availability.firstBlocker(resource)
  return above, full, blocker or '', slot
end

-- Returns the names of the slots to describe: of a pool, the first `most`, and those of the requesters.
local function slotsOfState(name, own, most, requesters)
  if not own or own.capacity == 1 then
    return own and own.isGroup and {} or { name }
  end
  local slots, known = {}, {}
  for i = 1, math.min(most, own.capacity) do
    slots[i] = name .. '_' .. i - 1
    known[slots[i]] = true
  end
  for _, requester in ipairs(requesters) do
    local mine = ownership.assignedSlot(name, requester)
    if mine and not known[mine] then
      known[mine] = true
      slots[#slots + 1] = mine
    end
  end
  return slots
end

-- `shown`: the number of a pool's slots to describe, the requesters, and their places in the queue.
local function describe(name, shown)
  local resource = naming.resolve(name) or name
  local own = registry.definition(resource)
  local above, full, blocker, inTheWay = inTheWayOf(resource, own)
  local waits = queues.waitersOf(resource)
  local waiters = tonumber(waits) > 0 and tenant.queue.firstWaiters(resource, MAX_WAITERS) or {}
  local slots = slotsOfState(resource, own, shown.most, shown.requesters)
  slotMap.readSlots(slots)
  local free, out, dirty = readiness.countsOf(resource, own)
  local notReady = readiness.texts(resource, own, slots)
  local state = {
    table.concat({
      resource, own and 1 or 0, own and own.capacity or 1, own and own.isGroup and 1 or 0, freeSlots.heldOf(resource),
      waits, #waiters, shown.places[resource] or 0, above, full, blocker, free, out, dirty, #notReady,
      readiness.inTheWay(full), readiness.inTheWay(blocker), unpack(naming.labelsOf(resource)),
    }, '\n'),
    unpack(waiters),
  }
  for _, text in ipairs(notReady) do
    state[#state + 1] = text
  end
  if blocker ~= '' then
    state[#state + 1] = texts.slotText(inTheWay)
  end
  for _, slot in ipairs(slots) do
    state[#state + 1] = texts.slotText(slot)
  end
  work.spend(5)
  return state
end

verbs.states = reading.freeVerb('read', function(_, args)
  local requesters = itemForms.splitLines(args[3])
  local shown = {
    most = math.min(16, tonumber(args[2])), requesters = requesters, places = placesInQueue(requesters),
  }
  local names, reply = { unpack(args, 4) }, { 'OK' }
  registry.readDefinitions(names)
  for _, name in ipairs(names) do
    if work.done > MAX_STATES_WORK and #reply > 1 then
      break
    end
    reply[#reply + 1] = describe(name, shown)
  end
  return reply
end)

return verbs
