-- What requests that change definitions must keep to: the limits of the tier, and what a key with a prefix may change.
--
-- With a database, a change takes three phases:
--   plan    a call charges the change, and refuses it if it is not possible; replan does the same without a charge
--           the instance writes the change to the database, if its definitions still have the planned version
--   apply   a call makes the change, if the definitions in Redis still have the planned version
-- Without a database, one phase (now) does all.
local bytes = require('limits/bytes')
local keys = require('frame/keys')
local naming = require('definitions/names')
local quota = require('limits/quota')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local changes = {}

-- Returns the number of ancestors that a name had before this request.
function changes.depthBefore(name)
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

-- Returns nil; or, if the changed definitions (definitions/redefine.lua) exceed a limit of the tier, the reply that
-- refuses the request. Nothing may have been written before.
function changes.overDefinitionLimits()
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
function changes.isStale(phase, version)
  local current = redis.call('HGET', keys.tenant, 'definitionsVersion')
  return phase == 'apply' and (redis.call('DEL', keys.copying) == 1 or current ~= version)
end

-- Holds a key with a prefix to definitions that nothing elsewhere gates: by changing or deleting others, it could
-- reserve what a holder elsewhere keeps from it (docs/specification.md#restricted-keys). Takes a resource and the
-- parent that it will have, nil if it is deleted. Returns why such a key may not do that; nil if it may.
function changes.whyGated(name, parent)
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

return changes
