-- Verbs that set conditions (docs/specification.md#condition).
local admission = require('frame/admission')
local charged = require('frame/charged')
local committing = require('frame/commit')
local conditionEvents = require('events/conditions')
local conditions = require('slots/conditions')
local itemForms = require('frame/items')
local keys = require('frame/keys')
local marks = require('slots/marks')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local verbs = {}

--[[ setCondition (ARGV[1] credential, ARGV[2] flags)
  Sets the condition of resources and slots. Handles all items of one request, in order. A pool means all its slots;
  each slot is a write.

  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is {'CHANGED', number of slots that changed}, {'UNCHANGED'} or {'NOT_VALID',
  explanation}, as a text (reservations/texts.lua). Each change is in the events, and, if a slot was out of service and
  no longer is, in the history.
]]
local MAX_SLOTS = 500

-- Returns the number of slots that an item means; 1 if it means none.
local function slotsOf(item)
  local resource, slot = naming.resolve(item.resource)
  local own = resource and not slot and registry.definition(resource)
  return own and not own.isGroup and own.capacity or 1
end

-- Counts the slots of all items. Sets request.surplus to the first item, from 0, with which there are too many.
local function cost(items, request)
  local names, sum = {}, 0
  for i, item in ipairs(items) do
    names[i] = item.resource
  end
  naming.readMeanings(names)
  for i, item in ipairs(items) do
    sum = sum + slotsOf(item)
    if sum > MAX_SLOTS then
      request.surplus = i - 1
      return #items
    end
  end
  return sum
end

local function tooMany(_, request)
  if request.surplus then
    quota.pay()
    return { 'REFUSED', string.format(
      '[%d].resource takes the request over %d slots: name some of them', request.surplus, MAX_SLOTS
    ) }
  end
end

-- Explains why a name has no condition; nil if it has one. Takes what resolve() returned.
local function whyNone(name, resource, slot)
  local own = resource and registry.definition(resource)
  local pool = pools.slotNumber(name)
  local whole = pool and registry.definition(pool)
  if own and own.isGroup then
    return 'NOT_VALID: ' .. resource .. ' is a group'
  elseif not own and whole and whole.capacity > 1 then
    return string.format(
      'NOT_VALID: %s has %d slots, %s_0 to %s_%d', pool, whole.capacity, pool, pool, whole.capacity - 1
    )
  elseif not own or slot and own.capacity == 1 then
    return 'NOT_VALID: ' .. name .. ' is not registered: it has no condition'
  end
end

local function setOne(item)
  local resource, slot = naming.resolve(item.resource)
  local fault = whyNone(item.resource, resource, slot)
  if fault then
    return { 'NOT_VALID', fault }
  end
  local slots, changed = { slot or resource }, 0
  local capacity = registry.definition(resource).capacity
  for i = 1, not slot and capacity > 1 and capacity or 0 do
    slots[i] = pools.slotAt(resource, i - 1)
  end
  slotMap.readSlots(slots)
  conditions.readDetails(resource, slots)
  local reason = item.reason ~= '' and item.reason or nil
  for _, one in ipairs(slots) do
    if conditions.set(resource, one, item.condition, reason, admission.actorName()) then
      changed = changed + 1
    end
  end
  conditionEvents.emit()
  return changed > 0 and { 'CHANGED', changed } or { 'UNCHANGED' }
end

verbs.setCondition = charged.verb({
  right = 'define', isRemembered = true, firstItem = 3, readItem = itemForms.conditionItem, firstResult = 3,
  cost = cost, fault = tooMany, carryOutItem = setOne,
})

--[[ outOfService
  Returns the slots that are out of service, in pieces, so that they can be copied to the database. A slot that changes
  meanwhile may or may not be among them.

  ARGV[1]  a cursor: '0' at first, then the one that was returned

  Returns {'OK', the next cursor ('0' at the end), version, slot, since ms ('' not known), actor ('' the service),
  reason, ...}. The version is the time of the last change, in us; '' if Redis knows of none. Or {'LOST'}, if Redis does
  not have the tenant.
]]
local PIECE = 500

function verbs.outOfService(_, args)
  if not tenant.tier or redis.call('HEXISTS', keys.tenant, 'version') == 0 then
    return { 'LOST' }
  end
  local version = redis.call('HGET', keys.conditions, marks.VERSION) or ''
  local reply = { 'OK', '0', version }
  reply[2] = reading.scan(keys.conditions, args[1], PIECE, function(rows)
    local slots, texts = {}, {}
    for i = 1, #rows, 2 do
      if string.byte(rows[i]) == 3 then
        slots[#slots + 1] = string.sub(rows[i], 2)
        texts[#texts + 1] = rows[i + 1]
      end
    end
    naming.readMeanings(slots)
    for i, slot in ipairs(slots) do
      local resource = naming.resolve(slot)
      if resource and conditions.at(resource, slot) == 'out' then
        local since, actor, reason = string.match(texts[i], '^(%d*)\n([^\n]*)\n(.*)$')
        for _, part in ipairs({ slot, since, actor, reason }) do
          reply[#reply + 1] = part
        end
      end
    end
  end)
  return reply
end

--[[ restoreOut
  Takes slots out of service that were so before Redis lost its data, by their copy in the database: when the
  definitions are copied, and before the tenant is loaded. Slots that are out of service already, and names that are no
  slots of registered resources, stay as they are. There are no events.

  ARGV[1]  the lease of this copy
  ARGV[2]  ms: the lease is extended to this long from now
  ARGV[3]  the first slot (frame/items.lua)

  Returns 'OK'; or 'LOST', with nothing changed, if the caller no longer holds the lease.
]]
function verbs.restoreOut(_, args)
  if redis.call('GET', keys.copying) ~= args[1] then
    return 'LOST'
  end
  local items, slots = itemForms.readItems(3, itemForms.outItem), {}
  for i, item in ipairs(items) do
    slots[i] = item.slot
  end
  naming.readMeanings(slots)
  slotMap.readSlots(slots)
  for _, item in ipairs(items) do
    local slot = item.slot
    local resource = naming.resolve(slot)
    if resource and conditions.isSlot(resource, slot) and conditions.at(resource, slot) ~= 'out' then
      conditions.restoreOut(resource, slot, item.sinceMs .. '\n' .. item.actor .. '\n' .. item.reason)
    end
  end
  redis.call('PEXPIRE', keys.copying, args[2])
  committing.commit()
  return 'OK'
end

return verbs
