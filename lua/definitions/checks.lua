-- The checks of requests that change definitions: the limits of the tier, the prefix of a key, and the definitions that
-- a request has made on paper, before they are in force. verbs/register.lua describes the fields of a request.
--
-- With a database, a change takes three phases:
--   plan    a call charges the change, and refuses it if it is not possible; replan does the same without a charge
--           the instance writes the change to the database, if its definitions still have the planned version
--   apply   a call makes the change, if the definitions in Redis still have the planned version
-- Without a database, one phase (now) does all.
local attributes = require('definitions/attributes')
local bookable = require('definitions/bookable')
local bytes = require('limits/bytes')
local keys = require('frame/keys')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')
local checks = {}

-- Returns the reply that refuses the request because of an item.
function checks.refusal(request, name, field, text)
  return { 'REFUSED', (request.placeOf[name] or '[0]') .. '.' .. field .. ' ' .. text }
end

-- Each of these returns the reply that refuses the request; nil if it passes.

-- Items which leave a group as it is may not ask for what a group cannot have.
local function checkGroups(request)
  for _, name in ipairs(request.names) do
    local item = request.itemOf[name]
    if item.group == '' and registry.definition(name).isGroup then
      local why = ': ' .. name .. ' is a group (group: false makes it a resource)'
      if item.capacity ~= '' then
        return checks.refusal(request, name, 'capacity', 'must not be given' .. why)
      elseif item.blocks ~= '' then
        return checks.refusal(request, name, 'blocks', 'must be empty' .. why)
      end
    end
  end
end

-- Every path agrees with the parents as they are defined now. So no path contradicts another, and the tree has no
-- cycle.
local function checkPaths(request)
  for _, name in ipairs(request.names) do
    request.current = name
    local below, path = name, request.pathOf[name]
    for depth = #path, 0, -1 do
      work.spend(0.3)
      local parent = registry.definition(below).parent
      if parent ~= (path[depth] or '') then
        local registered = parent == '' and 'nothing' or parent
        local text = 'contradicts the path of ' .. below .. ', which is registered under ' .. registered
        return checks.refusal(request, name, 'treePath', text)
      end
      below = parent
    end
  end
end

-- Returns the number of ancestors that a name had before this request.
local function depthBefore(name)
  local depth = 0
  local one = redefining.redefined[name]
  while one and one.parent ~= '' do
    depth = depth + 1
    local above = one.parent
    one = redefining.redefined[above]
    if one == nil then
      one = registry.definition(above)
    end
  end
  return depth
end

-- Nothing below a resource that moves down gets too many ancestors, since its subtree moves with it. A new resource has
-- no older subtree.
local function checkDepths(request)
  local looked, maxDepth = 0, tonumber(request.args[5])
  for _, name in ipairs(request.names) do
    request.current = name
    local level, depth = {}, #request.pathOf[name]
    if redefining.redefined[name] and depthBefore(name) < depth then
      level = { name }
    end
    while #level > 0 and depth <= maxDepth do
      level, looked = naming.levelBelow(level, looked)
      depth = depth + 1
      if looked > naming.MAX_LOOKED then
        local text = 'must not move more than ' .. naming.MAX_LOOKED .. ' resources further down at once'
        return checks.refusal(request, name, 'treePath', text)
      end
    end
    if #level > 0 then
      return checks.refusal(request, name, 'treePath', 'must leave what is registered below ' .. name .. ' at most ' ..
        maxDepth .. ' ancestors, and ' .. level[1] .. ' would have more')
    end
  end
end

-- No name is that of a pool's slot.
local function checkNames(request)
  for _, name in ipairs(redefining.redefinedOrder) do
    local pool, slotNumber = pools.slotNumber(name)
    local whole = pool and registry.definition(pool)
    if whole and whole.capacity > 1 and slotNumber < whole.capacity then
      local field = request.itemOf[name] and 'name' or 'treePath'
      local text = 'must not name ' .. name .. ', which is a slot of ' .. pool
      return checks.refusal(request, request.mentionedBy[name] or name, field, text)
    end
  end
end

-- No pool grows by a slot that has the name of a definition.
local function checkSlotNames(request)
  for _, name in ipairs(request.names) do
    request.current = name
    local before = redefining.redefined[name] and redefining.redefined[name].capacity or 1
    local capacity = registry.definition(name).capacity
    local other = capacity > before and naming.nameOfSlot(name, capacity)
    if other then
      local text = 'must not give it the slot ' .. other .. ', which is another resource'
      return checks.refusal(request, name, 'capacity', text)
    end
  end
end

-- Attributes that an item leaves as they are, and those that it changes, are not too many together.
local function checkAttributes(request)
  for _, name in ipairs(request.names) do
    local item, one = request.itemOf[name], registry.definition(name)
    request.current = name
    local keepsOwn, keepsSlots = item.attributes == '', item.slotAttributes == ''
    if one.hasAttributes and keepsSlots and one.attributes.count > 0 and one.capacity > attributes.MAX_SLOTS then
      local text = 'must be at most ' .. attributes.MAX_SLOTS .. ' for a pool with slotAttributes ([] removes them)'
      return checks.refusal(request, name, 'capacity', text)
    elseif keepsOwn ~= keepsSlots and attributes.areTooMany(name) then
      local text = 'must come to at most ' .. attributes.MAX_BYTES .. ' bytes, with those that stay as they are'
      return checks.refusal(request, name, keepsOwn and 'slotAttributes' or 'attributes', text)
    end
  end
end

-- Bookable resources are as they have to be.
local function checkBookable(request)
  local name, field, text = bookable.whyNot(request)
  return name and checks.refusal(request, name, field, text)
end

-- Returns the reply that refuses the request; nil if its definitions agree with each other and with all others.
function checks.whyRefused(request)
  return checkGroups(request) or checkPaths(request) or checkDepths(request) or checkNames(request) or
    checkSlotNames(request) or checkAttributes(request) or checkBookable(request)
end

-- Returns nil; or, if the changed definitions (definitions/redefine.lua) exceed a limit of the tier, the reply that
-- refuses the request. Nothing may have been written before.
function checks.overDefinitionLimits()
  local more, limits = 0, tenant.limits
  for _, name in ipairs(redefining.redefinedOrder) do
    more = more + (redefining.redefined[name] and 0 or 1)
  end
  local mayBeOver = #redefining.redefinedOrder > 0 and limits.bytes < tenant.NO_LIMIT and tenant.bytes >= limits.bytes
  if more > 0 and tenant.definitions + more > limits.definitions then
    return quota.refuse(nil, 'ResourceDefinitions', limits.definitions, more, 60)
  elseif mayBeOver and bytes.isOverBytes() then
    return quota.refuse(nil, 'StoredBytes', limits.bytes, 1, 1)
  end
end

-- Returns true if an apply finds another version than the planned one. The caller then copies the definitions from the
-- database. Also cancels a copy that is in progress, since it may have read the definitions before this change.
function checks.isStale(phase, version)
  local current = redis.call('HGET', keys.tenant, 'definitionsVersion')
  return phase == 'apply' and (redis.call('DEL', keys.copying) == 1 or current ~= version)
end

-- Holds a key with a prefix to definitions that nothing elsewhere gates: by changing or deleting others, it could
-- reserve what a holder elsewhere keeps from it (docs/specification.md#restricted-keys). Takes a resource and the
-- parent that it will have, nil if it is deleted. Returns why such a key may not do that; nil if it may.
function checks.whyGated(name, parent)
  local one = registry.definition(name)
  if not one then
    return nil
  end
  for _, gate in ipairs({ one.parent, unpack(naming.blockersOf(name)) }) do
    if gate ~= '' and not tenant.mayChange(gate) then
      return name .. ' is gated by ' .. gate .. ', which does not start with "' .. tenant.prefix ..
        '": this key may not change or delete its definition.'
    end
  end
  if parent and parent ~= one.parent and #naming.childrenOf(name, '', 1) > 0 then
    return name .. ' has resources below it: a key with a prefix may not move it.'
  end
end

return checks
