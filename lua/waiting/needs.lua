-- The needs of tickets: the entries of their plans, and which of them they lack.
local agenda = require('waiting/agenda')
local freeSlots = require('slots/freeSlots')
local itemForms = require('frame/items')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local planning = require('reservations/plan')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tickets = require('waiting/tickets')
local work = require('frame/work')
local needs = {}

-- Returns the entries of a plan with one entry for each slot of the resource itself. `left` of these is the number of
-- slots of the pool that are still to be taken, its own included.
local function expanded(entries, count)
  local all = {}
  for _, entry in ipairs(entries) do
    all[#all + 1] = entry
    entry.left = entry.count
    for left = (entry.count or 1) - 1, 1, -1 do
      all[#all + 1] = { resource = entry.resource, owner = entry.owner, role = 'moreSlot', left = left }
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
    local isShared = itemForms.isSharedItem(item)
    local never = resource and
      (shared.whyNever(resource, slot, item.count or 1) or isShared and shared.whyNotSharable(resource, slot))
    if resource and not never then
      local plan = { entries = {}, seen = {}, bytes = 0 }
      local count = item.count or 1
      planning.addTo(plan, resource, slot, '', 'own', count > 1 and count or nil, isShared)
      entries = not planning.isTooLong(plan) and expanded(plan.entries, count)
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
      ticket.entries = nil
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
    local resource, slot = naming.resolve(item.resource)
    if resource then
      local key, isShared = resource .. '\n' .. (slot or ''), itemForms.isSharedItem(item)
      local isRepeated = asked[key] and (isShared or asked[key] == 'EXCLUSIVE')
      found[i] = isRepeated and not (isShared and shared.whyNotSharable(resource, slot)) or nil
      asked[key] = isShared and asked[key] or isShared and 'SHARED' or 'EXCLUSIVE'
    end
  end
  return found
end

-- Returns the entries that a ticket counts with: those of its first valid item if its method is FIRST, else those of
-- all items. Returns nil if the request is not valid.
function needs.entriesOf(ticket)
  if ticket.entries == nil then
    local all, repeated = {}, #ticket.items > 1 and ticket.method ~= 'FIRST' and needs.repeatedIn(ticket.items) or {}
    for i, item in ipairs(ticket.items) do
      local isHad = repeated[i]
      local entries = not isHad and needs.planOf(item)
      if entries and needs.isPlanValid(entries) then
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

-- Returns the names of the queues that entries belong to: their resources, and the slots that they name.
function needs.queuesOf(entries)
  local names, isIn = {}, {}
  for _, entry in ipairs(entries) do
    for _, name in ipairs({ entry.slot or entry.resource, entry.resource }) do
      if not isIn[name] then
        isIn[name] = true
        names[#names + 1] = name
      end
    end
  end
  return names
end

-- Returns the names in the plans of all items of a FIRST; of other requests these are the queues of the ticket.
function needs.namedBy(ticket)
  local all = {}
  for _, item in ipairs(ticket.method == 'FIRST' and ticket.items or {}) do
    all[#all + 1] = { resource = item.resource }
    -- The plan of an item with too high a count is not valid. Its requester may hold the resource all the same.
    local resource, slot = naming.resolve(item.resource)
    all[#all + 1] = resource and { resource = resource, slot = slot } or nil
    for _, entry in ipairs(needs.planOf(item) or {}) do
      all[#all + 1] = entry
    end
  end
  return needs.queuesOf(all)
end

-- Returns true if the owner of an entry does not have what meets it. A SHARED one is the requester's.
local function isLacked(entry, owner, requester)
  local name = entry.slot
  if entry.isShared then
    local slot = name or entry.resource
    local record = slotMap.recordAt(slot)
    return not record or record.owner ~= requester and
      not (shared.isSharedHold(slot, record) and slotMap.recordAt(shared.shareOf(slot, requester)))
  elseif entry.role == 'moreSlot' then
    return not ownership.reservationOn(entry.resource, nil, owner)
  elseif not name then
    local own = registry.definition(entry.resource)
    if own and own.pooled then
      return not ownership.assignedSlot(entry.resource, owner)
    end
    name = entry.resource
  end
  local record = slotMap.recordAt(name)
  return not record or record.owner ~= owner
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
      for _, queue in ipairs({ entry.resource, entry.slot ~= entry.resource and entry.slot or nil }) do
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
-- names a slot counts in the queue of its pool only while this slot is free.
function needs.lackedAt(ticket, name)
  local found = {}
  work.spend(1)
  for _, entry in ipairs(needs.entriesIn(ticket, name)) do
    local isSlot = entry.slot == name
    if isSlot or not entry.slot or not slotMap.recordAt(entry.slot) then
      local owner = needs.ownerOf(entry, ticket.requester)
      work.spend(1)
      if isLacked(entry, owner, ticket.requester) then
        local which = not isSlot and entry.slot or entry.role == 'moreSlot' and '#' .. entry.left
        found[#found + 1] = which and owner .. '\n' .. which or owner
      end
    end
  end
  return found
end

-- Returns the number of free slots of a resource; for the name of one slot, 1 if that is free.
function needs.freeAt(name)
  local own = registry.definition(name)
  if own and own.pooled then
    return math.max(0, own.capacity - freeSlots.heldOf(name))
  end
  return slotMap.recordAt(name) and 0 or 1
end

-- Returns true if an entry wants a SHARED hold that it may join.
local function mayJoin(entry, name)
  local record = entry.isShared and slotMap.recordAt(name)
  return record and shared.isSharedHold(name, record)
end

-- Returns the name of what an entry lacks that is not free: its slot, or its pool, of which all that the ticket lacks
-- has to be free together; nil if it is free. Counts in `wanted` what the entries so far lack of each pool.
local function shortOf(entry, name, owner, wanted)
  local resource, count = entry.resource, wanted[entry.resource] or 0
  local key = name .. '\n' .. owner .. '\n' .. (entry.role == 'moreSlot' and entry.left or '')
  if needs.freeAt(name) == 0 then
    return name
  elseif not wanted[key] and needs.freeAt(resource) - count < (entry.left or 1) then
    return resource
  end
  wanted[resource], wanted[key] = count + (wanted[key] and 0 or 1), true
end

-- Returns what a ticket waits for now: the first queue in its plan in which it lacks something that is not free; else
-- what it waited for when last looked at, unless its requester has that; nil if none. Returns whether it is not free,
-- and the entry of a blocker's hold that is there, if it waits to join that.
function needs.waitsForNow(ticket)
  local last, joined, entries, wanted = nil, nil, needs.entriesOf(ticket) or {}, {}
  work.spend(#entries)
  for _, entry in ipairs(entries) do
    local resource, owner = entry.resource, needs.ownerOf(entry, ticket.requester)
    local name = entry.slot or resource
    local lacks = isLacked(entry, owner, ticket.requester)
    local short = lacks and not mayJoin(entry, name) and shortOf(entry, name, owner, wanted)
    if short then
      return short, true
    elseif (lacks or entry.role == 'blocker') and (name == ticket.waitsFor or resource == ticket.waitsFor) then
      last, joined = ticket.waitsFor, not lacks and entry or nil
    end
  end
  return last, last and needs.freeAt(last) == 0, joined
end

function needs.open()
  plans = {}
end

return needs
