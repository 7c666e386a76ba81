-- Verbs that register resources.
local attributes = require('definitions/attributes')
local bookable = require('definitions/bookable')
local charged = require('frame/charged')
local checks = require('definitions/checks')
local committing = require('frame/commit')
local dropping = require('definitions/conditions')
local itemForms = require('frame/items')
local keys = require('frame/keys')
local naming = require('definitions/names')
local quota = require('limits/quota')
local records = require('bookings/records')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local starts = require('bookings/starts')
local tenant = require('frame/tenant')
local work = require('frame/work')
local verbs = {}

--[[ register (ARGV[1] credential, ARGV[2] flags)
  Registers all resources of one request, or none. If a name occurs twice, its last item counts. Missing ancestors are
  registered with capacity 1, or as groups.

  ARGV[3]  phase (definitions/checks.lua): now without a database; else plan or replan, then apply
  ARGV[4]  apply: the version of the definitions for which the change was planned; '' in other phases
  ARGV[5]  maximum number of ancestors of a resource
  ARGV[6]  ms: for so long a plan that removes slots which can be booked closes the tenant to new bookings
  ARGV[7]  the first item (frame/items.lua)

  Returns {'OK', quota, version of the definitions, label of the key, name, tree path, 1 if it is a group, else 0,
  labels ('\n' between), afterUse, attributes, slotAttributes ('\n' between), 1 if it is bookable, else 0, ...}: first
  the missing ancestors that were registered too, each with its path ('>' between names, '' none); then the names that
  keep their group, labels, afterUse, attributes or bookable, with the path ''. Attributes that it does not keep are ''.
  Or, with nothing changed: {'STALE'}.
]]
-- Fields of the request, besides those of frame/charged.lua:
--   phase      ARGV[3]; isInForce: true if the definitions are in force after this call
--   names      all names, in the order of their last items. itemOf[name]: that item; placeOf[name]: its place, '[0]';
--              pathOf[name]: its path, an array of segments
--   ancestors  missing ancestors, which are registered too. mentionedBy[ancestor]: the name whose path has it
--   kept       kept[name]: the attributes that the item of a name leaves as they are, unless the change is applied: its
--              own, and those of its slots with '\n' between
--   current    the name that is worked on. The message names its place if the request exceeds its work budget
local function prepare(request)
  local phase = request.args[3]
  request.phase, request.isInForce = phase, phase == 'now' or phase == 'apply'
  request.names, request.itemOf, request.placeOf, request.pathOf = {}, {}, {}, {}
  request.ancestors, request.mentionedBy, request.kept = {}, {}, {}
end

local function isRequested(request)
  return request.phase == 'now' or request.phase == 'plan'
end

local function cost(items, request)
  return isRequested(request) and #items or 0
end

local function fault(_, request)
  return checks.isStale(request.phase, request.args[4]) and { 'STALE' } or nil
end

-- Reads the definitions of all names and ancestors.
local function readPaths(request)
  local names, itemOf, pathOf, mentioned = request.names, request.itemOf, request.pathOf, {}
  for i, item in ipairs(request.items) do
    itemOf[item.name], request.placeOf[item.name] = item, '[' .. i - 1 .. ']'
  end
  for _, item in ipairs(request.items) do
    local name = item.name
    if itemOf[name] == item then
      names[#names + 1] = name
      pathOf[name] = itemForms.splitLines(item.treePath)
      work.spend(#pathOf[name] / 4)
      mentioned[#mentioned + 1] = name
      for _, segment in ipairs(pathOf[name]) do
        mentioned[#mentioned + 1] = segment
      end
    end
  end
  registry.readDefinitions(mentioned)
end

-- Returns true if a field of an item has a value, false if it has another one; nil if it is '', not given.
local function isGiven(field, value)
  if field ~= '' then
    return field == value
  end
end

-- Returns what redefining.define() takes, of the fields that items to register and to copy both have.
local function newOf(item)
  return {
    capacity = tonumber(item.capacity) or 1, blocks = itemForms.splitLines(item.blocks),
    labels = item.labels ~= '' and itemForms.splitLines(item.labels) or nil,
    isDirtied = isGiven(item.afterUse, 'dirty'), isBookable = isGiven(item.bookable, '1'),
    own = item.attributes ~= '' and item.attributes or nil,
    sets = item.slotAttributes ~= '' and itemForms.splitLines(item.slotAttributes) or nil,
  }
end

local function defineName(request, name)
  local item, path = request.itemOf[name], request.pathOf[name]
  local new = newOf(item)
  new.parent, new.isGroup = path[#path] or '', isGiven(item.group, '1')
  redefining.define(name, new)
end

-- Defines the ancestors of a name that are not registered.
local function defineAncestors(request, name)
  local path, ancestors = request.pathOf[name], request.ancestors
  for depth = #path, 1, -1 do
    local ancestor = path[depth]
    if not registry.definition(ancestor) then
      local isGroup = request.itemOf[name].groups == '1'
      redefining.define(ancestor, { capacity = 1, parent = path[depth - 1] or '', blocks = {}, isGroup = isGroup })
      ancestors[#ancestors + 1] = ancestor
      request.mentionedBy[ancestor] = name
    end
  end
end

local function defineAll(request)
  for _, name in ipairs(request.names) do
    request.current = name
    defineName(request, name)
  end
  for _, name in ipairs(request.names) do
    request.current = name
    defineAncestors(request, name)
  end
end

-- Moves held slots into the pools that grow. Not too many of them, unless the database already has this change.
local function adoptAll(request)
  for _, name in ipairs(request.names) do
    request.current = name
    if not redefining.adoptSlots(name) and request.phase ~= 'apply' then
      return checks.refusal(request, name, 'capacity', 'must not make slots of more than ' .. redefining.MAX_ADOPTED ..
        ' names that are held as plain resources: release some of them first')
    end
  end
end

-- Notes the attributes that items leave as they are.
local function noteKept(request)
  for _, name in ipairs(not request.refused and request.phase ~= 'apply' and request.names or {}) do
    local item = request.itemOf[name]
    request.current = name
    if registry.definition(name).hasAttributes and (item.attributes == '' or item.slotAttributes == '') then
      local own = item.attributes == '' and attributes.of(name).own or ''
      local sets = item.slotAttributes == '' and table.concat(attributes.slotsOf(name), '\n') or ''
      request.kept[name] = { own = own, sets = sets }
      work.spend((#own + #sets) / 100)
    end
  end
end

-- Defines all names. Sets request.refused if an item must be refused, or tenant.foreign.
local function define(request)
  readPaths(request)
  for _, name in ipairs(tenant.mayChange and request.phase ~= 'apply' and request.names or {}) do
    local path = request.pathOf[name]
    tenant.foreign = tenant.foreign or checks.whyGated(name, path[#path] or '')
  end
  if tenant.foreign then
    return
  end
  defineAll(request)
  request.refused = checks.whyRefused(request)
  local mark = #slotMap.journal
  request.refused = request.refused or adoptAll(request)
  noteKept(request)
  if not request.isInForce then
    slotMap.undo(mark)
  end
end

local function carryOut(request)
  if request.phase == 'apply' then
    -- The database already has this change, so it is applied without a budget. Its plan was within the budget.
    define(request)
  elseif work.isOverBudget(define, nil, request) then
    return work.tooMuch(request.placeOf[request.current] or '[0]')
  end
  if request.refused then
    quota.pay()
    return request.refused
  end
  return not tenant.foreign and isRequested(request) and checks.overDefinitionLimits()
end

-- Adds a name to the reply.
local function addToReply(request, name, path, labels)
  local reply, kept, one = request.reply, request.kept[name], registry.definition(name)
  local at = #reply
  reply[at + 1], reply[at + 2] = name, path
  reply[at + 3], reply[at + 4], reply[at + 5] = one.isGroup and 1 or 0, labels, one.isDirtied and 'dirty' or 'ready'
  reply[at + 6], reply[at + 7] = kept and kept.own or '', kept and kept.sets or ''
  reply[at + 8] = one.isBookable and 1 or 0
end

-- Returns true if an item leaves something as it is that its resource has.
local function keepsAny(item, one)
  return item.group == '' and one.isGroup or item.labels == '' and one.hasLabels or
    item.afterUse == '' and one.isDirtied or item.bookable == '' and one.isBookable or
    (item.attributes == '' or item.slotAttributes == '') and one.hasAttributes
end

local function complete(request)
  local reply = request.reply
  reply[3], reply[4] = redis.call('HGET', keys.tenant, 'definitionsVersion') or '', tenant.keyLabel
  for _, name in ipairs(request.ancestors) do
    addToReply(request, name, string.sub(naming.pathOf(name), 1, -#name - 2), '')
  end
  for _, name in ipairs(request.names) do
    local item, one = request.itemOf[name], registry.definition(name)
    if keepsAny(item, one) then
      addToReply(request, name, '', table.concat(one.labels, '\n'))
    end
  end
  if request.isInForce then
    dropping.followDefinitions()
    starts.touch(redefining.redefinedOrder)
  end
  local queue = request.isInForce and tenant.openQueue()
  if queue then
    queue.planAgainFor(redefining.redefinedOrder)
  end
end

local function written(request)
  if request.isInForce then
    redefining.commitDefinitions(request.args[4])
  end
  bookable.note(request, tonumber(request.args[6]))
end

verbs.register = charged.verb({
  right = 'define', isRemembered = true, firstItem = 7, readItem = itemForms.registerItem,
  prepare = prepare, cost = cost, fault = fault, carryOut = carryOut, complete = complete, written = written,
})

--[[ copyDefinitions
  Copies one chunk of the tenant's definitions from the database. Held slots do not stop it. The caller copies ancestors
  before their children, and removes children before their ancestors.

  ARGV[1]  the lease of this copy
  ARGV[2]  ms: the lease is extended to this long from now
  ARGV[3]  the first definition (frame/items.lua)

  Returns 'OK'; or 'LOST', with nothing changed, if the caller no longer holds the lease.
]]
function verbs.copyDefinitions(_, args)
  if redis.call('GET', keys.copying) ~= args[1] then
    return 'LOST'
  end
  local items, names = itemForms.readItems(3, itemForms.copiedItem), {}
  for i, item in ipairs(items) do
    names[i] = item.name
  end
  registry.readDefinitions(names)
  for _, item in ipairs(items) do
    if item.capacity ~= '0' then
      local new = newOf(item)
      new.parent, new.isGroup = item.parent, item.isGroup == '1'
      redefining.define(item.name, new)
      redefining.adoptSlots(item.name)
    else
      redefining.redefine(item.name, false)
    end
  end
  redis.call('PEXPIRE', keys.copying, args[2])
  if tenant.queueText then
    -- All tickets are planned again by the scripts that follow (queue.lua).
    redis.call('HSET', keys.tenant, 'queue', (string.gsub(tenant.queueText, '%S+$', '.')))
  end
  dropping.followDefinitions()
  if records.areAny() then
    records.markRetry('', true)
  end
  committing.commit()
  redefining.commitDefinitions('')
  return 'OK'
end

return verbs
