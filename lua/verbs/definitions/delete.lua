--[[
  Deletes a definition and, if requested, its subtree.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  sessions
  KEYS[11]  sessionHolds
  KEYS[12]  sessionsDue
  KEYS[13]  index
  KEYS[14]  history
  KEYS[15]  copying
  KEYS[16]  answer

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  phase (definitions/changes.lua): now without a database; else plan or replan, then apply, or reopen to cancel
           a plan
  ARGV[4]  apply: the version of the definitions for which the change was planned; '' in other phases
  ARGV[5]  name
  ARGV[6]  1: with its subtree; 0: only if it has no children
  ARGV[7]  plan: ms for which the resources to delete cannot be reserved

  Returns {'OK', quota, version of the definitions, label of the key, name, ...}: the deleted names, ancestors first.
  Or, with nothing changed: {'UNREGISTERED'}, {'STALE'}, {'REFUSED', message}, the reply of refuse() in
  limits/quota.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'} or {'AGAIN'}. Or {'UNKNOWN'} if an earlier try ran and its
  reply was not kept.
]]
local answers = require('frame/answers')
local bytes = require('limits/bytes')
local changes = require('definitions/changes')
local clock = require('frame/clock')
local committing = require('frame/commit')
local frame = require('frame/frame')
local labelling = require('definitions/labels')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')
local waitingQueue = require('waiting/queue')

return function(keys, args)
  waitingQueue.prepare()
  local phase = args[3]
  local refused = frame.requestOnce('define', nil, (phase == 'now' or phase == 'plan') and 1 or 0, {})
  if refused then
    return refused
  end
  if changes.isStale(phase, args[4]) then
    return { 'STALE' }
  end
  local root = args[5]
  if not registry.definition(root) then
    quota.pay()
    return { 'UNREGISTERED' }
  end

  local MAX_DELETED, MAX_LABELS = 500, 2000
  -- A definition that is already deleted in the database is deleted here even if its slots are held. Their reservations
  -- stay.
  local mayBeHeld = phase == 'apply' or phase == 'reopen'
  local doomed = { root }
  local function refusal()
    local next, labels = 1, 0
    while doomed[next] do
      local name = doomed[next]
      labels = labels + #labelling.labelsOf(name)
      if #doomed > 1 and labels > MAX_LABELS then
        return root .. ' and the resources below it have more than ' .. MAX_LABELS .. ' labels: delete parts of it first'
      end
      local children = naming.childrenOf(name, '', args[6] == '0' and 1 or MAX_DELETED + 1 - #doomed)
      if args[6] == '0' and #children > 0 then
        return root .. ' has resources below it: delete these first, or say cascade=true'
      elseif #doomed + #children > MAX_DELETED then
        return root .. ' has ' .. MAX_DELETED .. ' or more resources below it: delete parts of it first'
      end
      registry.readDefinitions(children)
      for _, child in ipairs(children) do
        doomed[#doomed + 1] = child
      end
      if tenant.mayChange and not tenant.mayChange(name) then
        tenant.foreign = name .. ' must start with "' .. tenant.prefix .. '": this key may delete no other names.'
        return tenant.foreign
      end
      tenant.foreign = tenant.mayChange and changes.whyGated(name)
      if tenant.foreign then
        return tenant.foreign
      end
      if not mayBeHeld and (pools.poolOf(name).held > 0 or redis.call('HEXISTS', keys.slots, name) == 1) then
        return name .. ' is held by an active reservation'
      end
      next = next + 1
    end
  end
  local why = refusal()
  if tenant.foreign then
    return { 'FORBIDDEN', tenant.foreign }
  elseif why then
    quota.pay()
    return { 'REFUSED', why }
  end

  local version = redis.call('HGET', keys.tenant, 'definitionsVersion') or ''
  local reply = { 'OK', quota.charged.quota, version, tenant.keyLabel, unpack(doomed) }
  answers.remember(reply)
  if tenant.queueText and not tenant.queue then
    tenant.openQueue()
  end
  if tenant.queue and (phase == 'plan' or phase == 'replan') then
    tenant.queue.closeUntil(clock.nowMs() + args[7])
  end
  if phase ~= 'plan' and phase ~= 'replan' then
    for _, name in ipairs(phase ~= 'reopen' and doomed or {}) do
      redefining.redefine(name, false)
    end
    if tenant.queue then
      tenant.queue.planAgainFor(doomed)
    end
  end
  committing.finish(nil, quota.charged.usage)
  if phase == 'plan' or phase == 'replan' then
    local closingUntil = clock.nowMs() + args[7]
    local fields = {}
    for _, name in ipairs(doomed) do
      fields[#fields + 1] = '\2' .. name
      fields[#fields + 1] = string.format('%.0f', closingUntil)
    end
    bytes.callWith('HSET', keys.definitions, fields)
    tenantRecord.setFlag(tenantRecord.HAS_CLOSING, true)
    tenantRecord.saveTenant({ 'closing', math.max(tenant.closing, closingUntil) })
    return reply
  end
  if phase ~= 'now' then
    local fields = {}
    for i, name in ipairs(doomed) do
      fields[i] = '\2' .. name
    end
    bytes.callWith('HDEL', keys.definitions, fields)
  end
  if phase ~= 'reopen' then
    redefining.commitDefinitions(args[4])
  end
  return reply
end
