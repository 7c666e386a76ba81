-- The needs of tickets: the entries of their plans, and which of them they lack.
local agenda = require('waiting/agenda')
local itemForms = require('frame/items')
local lines = require('waiting/lines')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local planning = require('reservations/plan')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local needs = {}

-- Begins the part of a key (lackedAt()) that stands for one of several slots. No slot's name begins with it.
needs.MORE = '\1'

-- Returns the entries of a plan with one entry for each slot of the resource itself. `left` of these is the number of
-- slots of the pool that are still to be taken, its own included. `condition` is that of the item, nil: ready.
local function expanded(entries, count, condition)
  local all = {}
  for _, entry in ipairs(entries) do
    all[#all + 1] = entry
    entry.left = entry.count
    lines.assign(entry, condition)
    for left = (entry.count or 1) - 1, 1, -1 do
      all[#all + 1] = {
        resource = entry.resource, owner = entry.owner, role = 'moreSlot', left = left, condition = entry.condition,
        queue = entry.queue,
      }
    end
  end
  work.spend(count)
  return all
end

-- plans[key]: the entries of the plan for an item, by its key (itemKey); false if the item is not valid or the plan too
-- long. The owner '' stands for the requester.
local plans

function needs.planOf(item)
  local key = tickets.itemKey(item)
  local entries = plans[key]
  if entries == nil then
    entries = false
    local resource, slot = naming.resolve(item.resource)
    local isShared, condition = itemForms.isSharedItem(item), itemForms.conditionOf(item)
    local never = resource and (
      shared.whyNever(resource, slot, item.count or 1) or isShared and shared.whyNotSharable(resource, slot) or
      condition and not registry.definition(resource)
    )
    if resource and not never then
      local plan = { entries = {}, seen = {}, bytes = 0 }
      local count = item.count or 1
      planning.addTo(plan, resource, slot, '', 'own', count > 1 and count or nil, isShared, condition)
      entries = not planning.isTooLong(plan) and expanded(plan.entries, count, condition)
    end
    plans[key] = entries
  end
  return entries
end

-- Forgets what was derived from definitions, which have changed.
function needs.forgetPlans()
  plans = {}
  agenda.ticketChanges = agenda.ticketChanges + 1
  for _, ticket in pairs(tickets.tickets) do
    if ticket then
      ticket.entries, ticket.terms = nil, nil
    end
  end
end

function needs.ownerOf(entry, requester)
  return entry.owner == '' and requester or entry.owner
end

-- Returns whether all entries of a plan can be met by somebody.
function needs.isPlanValid(entries)
  for _, entry in ipairs(entries) do
    if entry.invalid then
      return false
    end
  end
  return true
end

-- Returns the reservation that a requester has and that is enough for an item; nil if there is none.
function needs.hadFor(item, requester)
  local resource, slot = naming.resolve(item.resource)
  if not resource or itemForms.isSharedItem(item) and shared.whyNotSharable(resource, slot) then
    return nil
  end
  local had = ownership.reservationOn(resource, slot, requester)
  return had and shared.isEnough(had, item) and had or nil
end

-- Returns the places of the items for a resource that an item before them is for: place -> true. Their requester has it
-- by then, unless it asks for more than SHARED and has that only. Nor does an item count that can never be held SHARED.
function needs.repeatedIn(items)
  local found, asked = {}, {}
  work.spend(#items / 8)
  for i, item in ipairs(items) do
    local resource, slot
    if not tickets.matchOf(item) then
      resource, slot = naming.resolve(item.resource)
    end
    if resource then
      local key, isShared = resource .. '\n' .. (slot or ''), itemForms.isSharedItem(item)
      local isRepeated = asked[key] and (isShared or asked[key] == 'EXCLUSIVE')
      found[i] = isRepeated and not (isShared and shared.whyNotSharable(resource, slot)) or nil
      asked[key] = isShared and asked[key] or isShared and 'SHARED' or 'EXCLUSIVE'
    end
  end
  return found
end

local function validPlanOf(item)
  local entries = needs.planOf(item)
  return entries and needs.isPlanValid(entries) and entries
end

-- Returns the entries that a ticket counts with: those of its first valid item if its method is FIRST, else those of
-- all items, but for matches. Returns nil if the request is not valid, or has only matches.
function needs.entriesOf(ticket)
  if ticket.entries == nil then
    local all, repeated = {}, #ticket.items > 1 and ticket.method ~= 'FIRST' and needs.repeatedIn(ticket.items) or {}
    for i, item in ipairs(ticket.items) do
      local isHad = repeated[i] or tickets.matchOf(item)
      local entries = not isHad and validPlanOf(item)
      if entries then
        for _, entry in ipairs(entries) do
          all[#all + 1] = entry
        end
        if ticket.method == 'FIRST' then
          break
        end
      elseif ticket.method ~= 'FIRST' and not isHad then
        all = {}
        break
      end
    end
    ticket.entries, ticket.entriesIn = #all > 0 and all, nil
  end
  return ticket.entries or nil
end

-- Returns the queues that entries belong to: those of their resources, and of the slots that they name.
function needs.queuesOf(entries)
  local names, isIn = {}, {}
  for _, entry in ipairs(entries) do
    for _, name in ipairs({ entry.slotQueue or entry.queue, entry.queue }) do
      if not isIn[name] then
        isIn[name] = true
        names[#names + 1] = name
      end
    end
  end
  return names
end

-- Adds the queues of the plan of an item, each as an entry.
local function addNamed(all, item)
  all[#all + 1] = { queue = item.resource }
  -- The plan of an item with too high a count is not valid. Its requester may hold the resource all the same.
  local resource, slot = naming.resolve(item.resource)
  all[#all + 1] = resource and { queue = resource, slotQueue = slot } or nil
  for _, entry in ipairs(needs.planOf(item) or {}) do
    all[#all + 1] = entry
  end
end

-- Returns the queues of the plans of all items of a FIRST, or of a ticket that is loose; of other requests these are
-- the queues of the ticket.
function needs.namedBy(ticket)
  local all = {}
  for _, item in ipairs((ticket.method == 'FIRST' or tickets.isLoose(ticket)) and ticket.items or {}) do
    if not tickets.matchOf(item) then
      addNamed(all, item)
    end
  end
  return needs.queuesOf(all)
end

-- Returns true if a slot that the owner of an entry holds does not meet it, since it has another condition: of an
-- ancestor any will do, and a reservation of the resource is enough.
local function isUnfit(entry, slot, owner)
  return entry.role ~= 'ancestor' and lines.conditionOf(slot) ~= (entry.condition or 'ready') and
    not (entry.role == 'own' and ownership.reservationOn(entry.resource, entry.slot, owner))
end

-- Returns true if the owner of an entry does not have what meets it. A SHARED one is the requester's.
function needs.isLacked(entry, owner, requester)
  local name = entry.slot
  if entry.isShared then
    local slot = name or entry.resource
    local record = slotMap.recordAt(slot)
    if record and record.owner == requester then
      return isUnfit(entry, slot, requester)
    end
    return not (record and shared.isSharedHold(slot, record) and slotMap.recordAt(shared.shareOf(slot, requester)))
  elseif entry.role == 'moreSlot' then
    return not ownership.reservationOn(entry.resource, nil, owner)
  elseif not name then
    local own = registry.definition(entry.resource)
    if own and own.pooled then
      local slot = ownership.assignedSlot(entry.resource, owner)
      return not slot or isUnfit(entry, slot, owner)
    end
    name = entry.resource
  end
  local record = slotMap.recordAt(name)
  return not record or record.owner ~= owner or isUnfit(entry, name, owner)
end

-- Returns true if a requester has one of some tickets, and that wants something SHARED: what the requester takes may
-- meet this need, too.
function needs.sharesOwn(requester, keepers)
  for _, ticket in ipairs(keepers) do
    for _, item in ipairs(ticket.requester == requester and ticket.items or {}) do
      if itemForms.isSharedItem(item) then
        return true
      end
    end
  end
  return false
end

-- Returns the entries of a ticket that belong to a queue.
function needs.entriesIn(ticket, name)
  local entries = needs.entriesOf(ticket) or {}
  if not ticket.entriesIn then
    local found = {}
    for _, entry in ipairs(entries) do
      for _, queue in ipairs({ entry.queue, entry.slotQueue ~= entry.queue and entry.slotQueue or nil }) do
        found[queue] = found[queue] or {}
        table.insert(found[queue], entry)
      end
    end
    work.spend(#entries / 4)
    ticket.entriesIn = found
  end
  return ticket.entriesIn[name] or {}
end

-- Returns what a ticket lacks in a queue: an array of keys. Needs with the same key are met by one slot. An entry that
-- names a slot counts in the queue of its pool only while it could have this slot. The field `cleaning` has the keys of
-- what is lacked for cleaning or a repair (lines.lua), nil none.
function needs.lackedAt(ticket, queue)
  local found = {}
  work.spend(1)
  for _, entry in ipairs(needs.entriesIn(ticket, queue)) do
    local isSlot = entry.slotQueue == queue
    if isSlot or not entry.slot or lines.isOpen(entry.slot, entry.condition) then
      local owner = needs.ownerOf(entry, ticket.requester)
      work.spend(1)
      if needs.isLacked(entry, owner, ticket.requester) then
        local which = not isSlot and entry.slot or entry.role == 'moreSlot' and needs.MORE .. entry.left
        local key = which and owner .. '\n' .. which or owner
        found[#found + 1] = key
        if entry.isForCleaning then
          found.cleaning = found.cleaning or {}
          found.cleaning[key] = true
        end
      end
    end
  end
  return found
end

-- Returns how many slots of a queue a ticket needs, and the needs for which it needs them (lackedAt).
function needs.neededAt(ticket, queue)
  local met, named, needed = {}, {}, 0
  for _, key in ipairs(needs.lackedAt(ticket, queue)) do
    needed = needed + (met[key] and 0 or 1)
    met[key] = true
    named[string.match(key, '^(.*)\n[^' .. needs.MORE .. ']') or ''] = true
  end
  for owner in pairs(named) do
    -- A slot that an owner lacks by name also meets its need of any slot.
    needed = needed - (met[owner] and 1 or 0)
  end
  return needed, met
end

-- Returns the needs that do not count against an entry, as turns.keepersOf() takes them: against a SHARED one, those of
-- others for the same slot that are SHARED too; else nil.
function needs.metBy(entry)
  if entry.isShared then
    return { [entry.owner] = true, [entry.owner .. '\n' .. (entry.slot or entry.resource)] = true }
  end
end

function needs.open()
  plans = {}
end

return needs
