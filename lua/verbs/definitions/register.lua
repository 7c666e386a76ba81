--[[
  Registers all resources of one request, or none. If a name occurs twice, its last item counts. Missing ancestors are
  registered with capacity 1, or as groups.

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
  KEYS[17]  answers

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  phase (definitions/changes.lua): now without a database; else plan or replan, then apply
  ARGV[4]  apply: the version of the definitions for which the change was planned; '' in other phases
  ARGV[5]  maximum number of ancestors of a resource
  ARGV[6]  the first item (frame/items.lua)

  Returns {'OK', quota, version of the definitions, label of the key, name, tree path, 1 if it is a group, else 0,
  labels ('\n' between), ...}: first the missing ancestors that were registered too, each with its path ('>' between
  names, '' none); then the names that keep their group or labels, with the path ''. Or, with nothing changed:
  {'STALE'}, {'REFUSED', message}, {'FORBIDDEN', message}, the reply of refuse() in limits/quota.lua, {'NO_KEY'},
  {'SUSPENDED'}, {'NO_TENANT'} or {'AGAIN'}. Or {'UNKNOWN'} if an earlier try ran and its reply was not kept.
]]
local answers = require('frame/answers')
local changes = require('definitions/changes')
local committing = require('frame/commit')
local frame = require('frame/frame')
local itemForms = require('frame/items')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local waitingQueue = require('waiting/queue')
local work = require('frame/work')
return function(keys, args)
  waitingQueue.prepare()
  local phase, items = args[3], itemForms.readItems(6, itemForms.registerItem)
  local isRequested = phase == 'now' or phase == 'plan'
  local refused = frame.requestOnce('define', nil, isRequested and #items or 0, items)
  if refused then
    return refused
  elseif changes.isStale(phase, args[4]) then
    return { 'STALE' }
  end

  local maxDepth = tonumber(args[5])
  -- place[name]: position of the name's last item, from 1. names: all names, in the order of these positions.
  local place, names, ancestors, mentionedBy = {}, {}, {}, {}
  -- current: the name being worked on. The message names it if the script exceeds its work budget. fault: {name of the
  -- item, field, description} if the request must be refused.
  local current, fault = '', nil
  local function refuseItem(name, field, text)
    fault = { name, field, text }
  end

  -- Reads the definitions of all names and ancestors. Returns the path of each name, an array of segments.
  local function readPaths()
    local paths, mentioned = {}, {}
    for i, item in ipairs(items) do
      place[item.name] = i
    end
    for i, item in ipairs(items) do
      local name = item.name
      if place[name] == i then
        names[#names + 1] = name
        paths[name] = itemForms.splitLines(item.treePath)
        work.spend(#paths[name] / 4)
        mentioned[#mentioned + 1] = name
        for _, segment in ipairs(paths[name]) do
          mentioned[#mentioned + 1] = segment
        end
      end
    end
    registry.readDefinitions(mentioned)
    return paths
  end

  -- Defines the names, then the ancestors that are not registered.
  local function defineAll(paths)
    for _, name in ipairs(names) do
      current = name
      local item = items[place[name]]
      local isGroup, labels
      if item.group ~= '' then
        isGroup = item.group == '1'
      end
      if item.labels ~= '' then
        labels = itemForms.splitLines(item.labels)
      end
      redefining.define(
        name, tonumber(item.capacity) or 1, paths[name][#paths[name]] or '', itemForms.splitLines(item.blocks), isGroup, labels
      )
    end
    for _, name in ipairs(names) do
      current = name
      for depth = #paths[name], 1, -1 do
        local ancestor = paths[name][depth]
        if not registry.definition(ancestor) then
          redefining.define(ancestor, 1, paths[name][depth - 1] or '', {}, items[place[name]].groups == '1')
          ancestors[#ancestors + 1] = ancestor
          mentionedBy[ancestor] = name
        end
      end
    end
  end

  -- Checks that items which leave a group as it is ask nothing that a group cannot have.
  local function checkGroups()
    for _, name in ipairs(names) do
      local item = items[place[name]]
      if item.group == '' and registry.definition(name).isGroup then
        if item.capacity ~= '' then
          return refuseItem(name, 'capacity', 'must not be given: ' .. name .. ' is a group (group: false makes it a resource)')
        elseif item.blocks ~= '' then
          return refuseItem(name, 'blocks', 'must be empty: ' .. name .. ' is a group (group: false makes it a resource)')
        end
      end
    end
  end

  -- Checks that every path agrees with the parents as they are defined now. So no path contradicts another, and the
  -- tree has no cycle.
  local function checkPaths(paths)
    for _, name in ipairs(names) do
      current = name
      local below = name
      for depth = #paths[name], 0, -1 do
        work.spend(0.3)
        local parent = registry.definition(below).parent
        if parent ~= (paths[name][depth] or '') then
          return refuseItem(name, 'treePath', 'contradicts the path of ' .. below .. ', which is registered under ' ..
            (parent == '' and 'nothing' or parent))
        end
        below = parent
      end
    end
  end

  -- Checks the depth below resources that move down, since their subtree moves with them. A new resource has no older
  -- subtree, so it needs no check.
  local MAX_MOVED = 500
  local function checkDepths(paths)
    local moved = 0
    for _, name in ipairs(names) do
      current = name
      if redefining.redefined[name] and changes.depthBefore(name) < #paths[name] then
        local level, depth = { name }, #paths[name]
        while #level > 0 and depth <= maxDepth do
          local nextLevel = {}
          for _, above in ipairs(level) do
            local children = naming.childrenOf(above, '', MAX_MOVED + 1)
            registry.readDefinitions(children)
            for _, child in ipairs(children) do
              if registry.definition(child).parent == above then
                nextLevel[#nextLevel + 1] = child
              end
            end
            moved = moved + #children
            if moved > MAX_MOVED then
              return refuseItem(name, 'treePath', 'must not move more than ' .. MAX_MOVED .. ' resources further down at once')
            end
          end
          level, depth = nextLevel, depth + 1
        end
        if #level > 0 then
          return refuseItem(name, 'treePath', 'must leave what is registered below ' .. name .. ' at most ' .. maxDepth ..
            ' ancestors, and ' .. level[1] .. ' would have more')
        end
      end
    end
  end

  -- Checks that no slot of a pool has the name of another definition, of this request or an older one.
  local function checkSlotNames()
    for _, name in ipairs(redefining.redefinedOrder) do
      local pool, index = pools.slotIndex(name)
      local whole = pool and registry.definition(pool)
      if whole and whole.capacity > 1 and index < whole.capacity then
        local field = place[name] and 'name' or 'treePath'
        return refuseItem(mentionedBy[name] or name, field, 'must not name ' .. name .. ', which is a slot of ' .. pool)
      end
    end
    for _, name in ipairs(names) do
      current = name
      local before = redefining.redefined[name] and redefining.redefined[name].capacity or 1
      local capacity = registry.definition(name).capacity
      local other = capacity > before and naming.nameOfSlot(name, capacity)
      if other then
        return refuseItem(name, 'capacity', 'must not give it the slot ' .. other .. ', which is another resource')
      end
    end
  end

  -- Moves held slots into the pools that grow.
  local function adoptAll()
    for _, name in ipairs(names) do
      current = name
      if not redefining.adoptSlots(name) and phase ~= 'apply' then
        return refuseItem(name, 'capacity', 'must not make slots of more than ' .. redefining.MAX_ADOPTED ..
          ' names that are held as plain resources: release some of them first')
      end
    end
  end

  local function carryOut()
    local paths = readPaths()
    for _, name in ipairs(tenant.mayChange and phase ~= 'apply' and names or {}) do
      tenant.foreign = tenant.foreign or changes.whyGated(name, paths[name][#paths[name]] or '')
    end
    if tenant.foreign then
      return
    end
    defineAll(paths)
    checkGroups()
    if not fault then
      checkPaths(paths)
    end
    if not fault then
      checkDepths(paths)
    end
    if not fault then
      checkSlotNames()
    end
    local mark = #slotMap.journal
    if not fault then
      adoptAll()
    end
    if phase == 'plan' or phase == 'replan' then
      slotMap.undo(mark)
    end
  end
  local function placeOf(name)
    return '[' .. (place[name] or 1) - 1 .. ']'
  end

  -- The database already has this change, so it is applied without a budget. Its plan was within the budget.
  if phase == 'apply' then
    carryOut()
  elseif work.isOverBudget(carryOut) then
    return work.tooMuch(placeOf(current))
  end
  if tenant.foreign then
    return { 'FORBIDDEN', tenant.foreign }
  elseif fault then
    quota.pay()
    return { 'REFUSED', placeOf(fault[1]) .. '.' .. fault[2] .. ' ' .. fault[3] }
  end
  refused = isRequested and changes.overDefinitionLimits()
  if refused then
    return refused
  end

  local reply = { 'OK', quota.charged.quota, redis.call('HGET', keys.tenant, 'definitionsVersion') or '', tenant.keyLabel }
  for _, name in ipairs(ancestors) do
    reply[#reply + 1] = name
    reply[#reply + 1] = string.sub(naming.pathOf(name), 1, -#name - 2)
    reply[#reply + 1] = registry.definition(name).isGroup and 1 or 0
    reply[#reply + 1] = ''
  end
  for _, name in ipairs(names) do
    local item, one = items[place[name]], registry.definition(name)
    if item.group == '' and one.isGroup or item.labels == '' and one.hasLabels then
      reply[#reply + 1] = name
      reply[#reply + 1] = ''
      reply[#reply + 1] = one.isGroup and 1 or 0
      reply[#reply + 1] = table.concat(one.labels, '\n')
    end
  end
  if tenant.queueText and not tenant.queue then
    tenant.openQueue()
  end
  if tenant.queue then
    if phase == 'now' or phase == 'apply' then
      tenant.queue.planAgainFor(redefining.redefinedOrder)
    else
      -- The definitions that were planned are not in force.
      tenant.queue.suspend()
    end
  end
  committing.finish(answers.remember(reply), quota.charged.usage)
  if phase == 'now' or phase == 'apply' then
    redefining.commitDefinitions(args[4])
  end
  return reply
end
