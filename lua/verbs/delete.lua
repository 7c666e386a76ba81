local attributes = require('definitions/attributes')
local bytes = require('limits/bytes')
local charged = require('frame/charged')
local checks = require('definitions/checks')
local clock = require('frame/clock')
local dropping = require('definitions/conditions')
local keys = require('frame/keys')
local lists = require('bookings/lists')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')
local verbs = {}

--[[ delete (ARGV[1] credential, ARGV[2] flags)
  Deletes a definition and, if requested, its subtree.

  ARGV[3]  phase (definitions/checks.lua): now without a database; else plan or replan, then apply, or reopen to cancel
           a plan
  ARGV[4]  apply: the version of the definitions for which the change was planned; replan and reopen: the
           time until which the plan has closed the names; '' in other phases
  ARGV[5]  name
  ARGV[6]  1: with its subtree; 0: only if it has no children
  ARGV[7]  plan: ms for which the resources to delete cannot be reserved

  Returns {'OK', quota, version of the definitions, label of the key, ms, name, ...}: the deleted names, ancestors
  first. Before them stands the time until which a plan has closed them; '' if another plan has closed one of them,
  too, and in other phases. Or, with nothing changed: {'UNREGISTERED'}, {'STALE'}.
]]
local MAX_DELETED, MAX_LABELS = 500, 2000

-- Fields of the request, besides those of frame/charged.lua:
--   phase      ARGV[3]; isPlanned: true if this call only plans
--   doomed     the names to delete, ancestors first
--   closeUntil  the time in ms until which a plan closes them
local function prepare(request)
  local phase = request.args[3]
  request.phase, request.isPlanned = phase, phase == 'plan' or phase == 'replan'
end

local function cost(_, request)
  return (request.phase == 'now' or request.phase == 'plan') and 1 or 0
end

local function fault(_, request)
  return checks.isStale(request.phase, request.args[4]) and { 'STALE' } or nil
end

-- Returns why a key with a prefix may not delete a name; nil or false if it may.
local function whyForeign(name)
  if tenant.mayChange and not tenant.mayChange(name) then
    return name .. ' must start with "' .. tenant.prefix .. '": this key may delete no other names.'
  end
  return tenant.mayChange and checks.whyGated(name)
end

-- Adds the children of a name to the doomed. Returns why that is not possible; nil if it is.
local function addChildren(request, name)
  local doomed, root, mayCascade = request.doomed, request.args[5], request.args[6] ~= '0'
  local children = naming.childrenOf(name, '', mayCascade and MAX_DELETED + 1 - #doomed or 1)
  if not mayCascade and #children > 0 then
    return root .. ' has resources below it: delete these first, or say cascade=true'
  elseif #doomed + #children > MAX_DELETED then
    return root .. ' has ' .. MAX_DELETED .. ' or more resources below it: delete parts of it first'
  end
  registry.readDefinitions(children)
  for _, child in ipairs(children) do
    doomed[#doomed + 1] = child
  end
end

-- Returns true if a definition may be deleted here even if it is held or booked, since it is already deleted in the
-- database. Its reservations stay.
local function isDeleted(request)
  return request.phase == 'apply' or request.phase == 'reopen'
end

-- Returns true if a name cannot be deleted since it is held.
local function isHeld(request, name)
  return not isDeleted(request) and (pools.poolOf(name).held > 0 or redis.call('HEXISTS', keys.slots, name) == 1)
end

-- Returns true if a name cannot be deleted since it has bookings.
local function isBooked(request, name)
  return not isDeleted(request) and registry.definition(name).isBookable and lists.isAnyOf(name)
end

-- Finds all names to delete. Returns why they cannot be deleted; nil if they can, or if it sets tenant.foreign.
local function doom(request)
  local doomed, root = request.doomed, request.args[5]
  local next, labels, conditions = 1, 0, 0
  while doomed[next] do
    local name = doomed[next]
    labels = labels + #naming.labelsOf(name) + attributes.of(name).count
    if #doomed > 1 and labels > MAX_LABELS then
      return root .. ' and the resources below it have more than ' .. MAX_LABELS ..
        ' labels and slotAttributes: delete parts of it first'
    end
    conditions = conditions + redefining.costOfConditions(registry.definition(name))
    if #doomed > 1 and conditions > work.MAX_WORK then
      return root .. ' and the resources below it have too many slots that may not be ready: delete parts of it first'
    end
    local why = addChildren(request, name)
    if why then
      return why
    end
    tenant.foreign = whyForeign(name)
    if tenant.foreign then
      return nil
    elseif isHeld(request, name) then
      return name .. ' is held by an active reservation'
    elseif isBooked(request, name) then
      return name .. ' has bookings: cancel them first'
    end
    next = next + 1
  end
end

local function carryOut(request)
  local root = request.args[5]
  if not registry.definition(root) then
    quota.pay()
    return { 'UNREGISTERED' }
  end
  request.doomed = { root }
  local why = doom(request)
  if why then
    quota.pay()
    return { 'REFUSED', why }
  end
end

-- Returns the time in ms until which a plan closes the names: a time of its own, by which reopen() knows them. Returns
-- true as the second value if another plan has closed one of them, too.
local function closingTime(request)
  local closeUntil, isShared = clock.nowMs() + request.args[7], false
  for _, name in ipairs(request.doomed) do
    local closed = redis.call('HGET', keys.definitions, '\2' .. name)
    if closed and closed ~= request.args[4] and tonumber(closed) > clock.nowMs() then
      closeUntil, isShared = math.max(closeUntil, closed + 1), true
    end
  end
  return closeUntil, isShared
end

local function complete(request)
  local doomed, reply = request.doomed, request.reply
  reply[3], reply[4] = redis.call('HGET', keys.tenant, 'definitionsVersion') or '', tenant.keyLabel
  reply[5] = ''
  for i, name in ipairs(doomed) do
    reply[i + 5] = name
  end
  local queue = tenant.openQueue()
  if request.isPlanned then
    local closeUntil, isShared = closingTime(request)
    request.closeUntil, reply[5] = closeUntil, isShared and '' or string.format('%.0f', closeUntil)
    if queue then
      queue.closeUntil(closeUntil)
    end
    return
  end
  for _, name in ipairs(request.phase ~= 'reopen' and doomed or {}) do
    redefining.redefine(name, false)
  end
  dropping.followDefinitions()
  if queue then
    queue.planAgainFor(doomed)
  end
end

-- Closes the resources that a plan is to delete: they cannot be reserved for a while.
local function close(request)
  local fields = {}
  for _, name in ipairs(request.doomed) do
    fields[#fields + 1] = '\2' .. name
    fields[#fields + 1] = string.format('%.0f', request.closeUntil)
  end
  bytes.callWith('HSET', keys.definitions, fields)
  tenant.setFlag(tenant.HAS_CLOSING, true)
  tenant.save({ 'closing', math.max(tenant.closing, request.closeUntil) })
end

-- Opens the names. `closedUntil`: only those that the plan has closed until then, and no later plan; nil: all.
local function reopen(request, closedUntil)
  local fields = {}
  for _, name in ipairs(request.doomed) do
    local field = '\2' .. name
    if not closedUntil or redis.call('HGET', keys.definitions, field) == closedUntil then
      fields[#fields + 1] = field
    end
  end
  if #fields > 0 then
    bytes.callWith('HDEL', keys.definitions, fields)
  end
end

local function written(request)
  if request.isPlanned then
    close(request)
    return
  elseif request.phase == 'reopen' then
    reopen(request, request.args[4])
    return
  elseif request.phase == 'apply' then
    reopen(request)
  end
  redefining.commitDefinitions(request.args[4])
end

verbs.delete = charged.verb({
  right = 'define', isRemembered = true, prepare = prepare, cost = cost, fault = fault, carryOut = carryOut,
  complete = complete, written = written,
})

return verbs
