--[[
  Returns what pages show of some resources: what they are, whether they are free, who holds them and who is next.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  maximum number of slots to describe of a pool, at most 16
  ARGV[3]  at most 4 requesters whose slots of a pool are described in any case, each followed by '\n'
  ARGV[4]  the first name, as requests have it; the other names follow

  Returns {'OK', {resource, slot, ...}, ...}, each slot as reservations/texts.lua describes it: first, if a blocker
  keeps others from the resource, the slot whose reservation holds that blocker; then its own slots, of a pool from
  the first one on, and then those that the requesters have. A resource is a text with a line for each of: name, 1 if
  it is registered, else 0, capacity, 1 if it is a group, else 0, number of held slots, number of tickets that wait
  for it, requester of the first of these ('' none), place of the given requesters in its queue (0: they do not wait
  for it), path of its ancestors ('' none), the first of these that has no free slot ('' none), the blocker that keeps
  others from it ('' none, or no slot is free anyway), and each label. One call does a limited amount of work, so the
  reply may cover only the first names. Or a refusal (frame/admission.lua).
]]
local availability = require('reservations/availability')
local freeSlots = require('slots/freeSlots')
local itemForms = require('frame/items')
local lines = require('waiting/lines')
local naming = require('definitions/names')
local ownership = require('reservations/owners')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local work = require('frame/work')

local MAX_PIECE_WORK = 2500

local function placesInQueue(requesters)
  return tenant.openQueue() and tenant.queue.placesOf(requesters) or {}
end

-- Returns true if a registered resource has no free slot. A group has none that could be held.
local function isFull(name, own)
  return not own.isGroup and freeSlots.heldOf(name) >= own.capacity
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
local function slotsToShow(name, own, most, requesters)
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
  local waits = lines.waitersOf(resource)
  local first = tonumber(waits) > 0 and tenant.queue.firstWaiter(resource) or ''
  local slots = slotsToShow(resource, own, shown.most, shown.requesters)
  slotMap.readSlots(slots)
  local state = {
    table.concat({
      resource, own and 1 or 0, own and own.capacity or 1, own and own.isGroup and 1 or 0, freeSlots.heldOf(resource),
      waits, first, shown.places[resource] or 0, above, full, blocker, unpack(naming.labelsOf(resource)),
    }, '\n'),
  }
  if blocker ~= '' then
    state[2] = texts.slotText(inTheWay)
  end
  for _, slot in ipairs(slots) do
    state[#state + 1] = texts.slotText(slot)
  end
  work.spend(5)
  return state
end

return function(_, args)
  local refused = reading.look('read')
  if refused then
    return refused
  end
  local requesters = itemForms.splitLines(args[3])
  local shown = {
    most = math.min(16, tonumber(args[2])), requesters = requesters, places = placesInQueue(requesters),
  }
  local names, reply = { unpack(args, 4) }, { 'OK' }
  registry.readDefinitions(names)
  for _, name in ipairs(names) do
    if work.done > MAX_PIECE_WORK and #reply > 1 then
      break
    end
    reply[#reply + 1] = describe(name, shown)
  end
  return reply
end
