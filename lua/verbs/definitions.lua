-- Verbs that read definitions.
local admission = require('frame/admission')
local attributes = require('definitions/attributes')
local availability = require('reservations/availability')
local booked = require('bookings/booked')
local conditions = require('slots/conditions')
local fits = require('bookings/fits')
local itemForms = require('frame/items')
local keys = require('frame/keys')
local queues = require('waiting/queues')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')
local verbs = {}

--[[ definitions (ARGV[1] credential, ARGV[2] reads)
  Returns one page of the tenant's definitions, in byte order of their names. A page ends after a number of definitions
  or an amount of work.

  ARGV[3]  the last name of the page before; '' for the first page
  ARGV[4]  maximum number of definitions
  ARGV[5]  <key>=<value>: only the definitions with this label; '' all
  ARGV[6]  dirty or out: only the definitions with a slot in this condition; '' all

  Returns {'OK', quota, 1 if this is the last page, else 0, number of definitions on all pages (at most, if ARGV[6] is
  not ''), the last name of this page, item, ...}. An item is a text with a line for each of: name, capacity, path of
  its ancestors ('' none), 1 if it is a group, else 0, 1 if it is bookable, else 0, dirty or ready (what its slots are
  after use), number of slots that are out of service, and of those that are dirty, its own attributes ('' none), number
  of slots with sets of them, each set, number of labels, each label, and each blocker. Only a caller that may define
  the resource gets attributes.
]]
local MAX_BYTES, MAX_PAGE_WORK = 262144, 3500

-- Returns the names of a page, and the number of definitions on all pages.
local function namesOfPage(after, limit, label)
  local prefix, to, total = 'n', '(o', tenant.definitions
  if label ~= '' then
    prefix, to = 'l' .. label .. '\n', '(l' .. label .. '\11'
    total = redis.call('ZLEXCOUNT', keys.nameIndex, '[' .. prefix, to)
  end
  local names = redis.call('ZRANGE', keys.nameIndex, '(' .. prefix .. after, to, 'BYLEX', 'LIMIT', 0, limit)
  for i, member in ipairs(names) do
    names[i] = string.sub(member, #prefix + 1)
  end
  return names, total
end

-- Returns true if a definition has the wanted label and a slot in the wanted condition. The name index can have a label
-- for a definition that no longer has it.
local function isWanted(name, label, condition)
  if condition ~= '' and conditions.countOf(name, registry.definition(name).capacity, condition) == 0 then
    return false
  end
  for _, one in ipairs(label ~= '' and naming.labelsOf(name) or {}) do
    if one == label then
      return true
    end
  end
  return label == ''
end

-- Returns the item of a definition.
local function describe(name)
  local one, path, labels = registry.definition(name), naming.pathOf(name), naming.labelsOf(name)
  local above = string.sub(path, 1, math.max(0, #path - #name - 1))
  local own, sets = '', {}
  if one.hasAttributes and admission.mayDefine(name) then
    own, sets = attributes.of(name).own, attributes.slotsOf(name)
  end
  local parts = {
    name, one.capacity, above, one.isGroup and 1 or 0, one.isBookable and 1 or 0, one.isDirtied and 'dirty' or 'ready',
    conditions.countOf(name, one.capacity, 'out'), conditions.countOf(name, one.capacity, 'dirty'), own, #sets,
    unpack(sets)
  }
  parts[#parts + 1] = #labels
  for _, label in ipairs(labels) do
    parts[#parts + 1] = label
  end
  for _, blocker in ipairs(naming.blockersOf(name)) do
    parts[#parts + 1] = blocker
  end
  return table.concat(parts, '\n')
end

function verbs.definitions(_, args)
  local refused = admission.admit('definitions')
  if refused then
    return refused
  end
  local misfit = quota.chargeReads(tonumber(args[2]))
  if misfit then
    return quota.refuse(unpack(misfit))
  end
  local limit, label, condition = tonumber(args[4]), args[5], args[6]
  local names, total = namesOfPage(args[3], limit, label)
  registry.readDefinitions(names)
  local reply, bytes = { 'OK', quota.readsQuota, #names < limit and 1 or 0, total, '' }, 0
  for i, name in ipairs(names) do
    reply[5] = name
    if isWanted(name, label, condition) then
      local item = describe(name)
      bytes = bytes + #item
      work.spend(4 + #item / 100)
      reply[#reply + 1] = item
    end
    if (bytes > MAX_BYTES or work.done > MAX_PAGE_WORK) and i < #names then
      reply[3] = 0
      break
    end
  end
  return reply
end

--[[ labelsInUse (ARGV[1] credential)
  Returns labels that registered resources have, for people to choose from. A key with many values names single
  resources, as a serial number does, so none of its labels is returned.

  ARGV[2]  maximum number of labels
  ARGV[3]  maximum number of values of one key

  Returns {'OK', label, ...}, sorted.
]]
local MAX_LOOKS = 400

-- Returns the first label in the name index (definitions/redefine.lua) from a bound on; nil at the end.
local function labelFrom(bound)
  local found = redis.call('ZRANGE', keys.nameIndex, bound, '(m', 'BYLEX', 'LIMIT', 0, 1)[1]
  return found and string.match(found, '^l([^\n]*)\n')
end

function verbs.labelsInUse(_, args)
  local refused = admission.admit('definitions')
  if refused then
    return refused
  end
  local limit, maxValues = tonumber(args[2]), tonumber(args[3])
  local reply, bound, key, ofKey = { 'OK' }, '[l', nil, {}
  for _ = 1, MAX_LOOKS do
    local label = labelFrom(bound)
    local keyNow = label and string.match(label, '^[^=]*')
    if keyNow ~= key then
      for _, one in ipairs(ofKey) do
        reply[#reply + 1] = one
      end
      key, ofKey = keyNow, {}
    end
    if not label or #reply > limit then
      break
    end
    ofKey[#ofKey + 1] = label
    bound = '(l' .. label .. '\11'
    if #ofKey > maxValues then
      -- '>' follows '='.
      bound, ofKey = '[l' .. key .. '>', {}
    end
  end
  while #reply > limit + 1 do
    reply[#reply] = nil
  end
  return reply
end

--[[ available (ARGV[1] credential, ARGV[2] reads)
  Returns whether resources have a free slot.

  ARGV[3]  the first resource

  Returns {'OK', quota and work (frame/work.lua), item, ...}, where an item is 1 if a slot is free, else 0; '' if its
  request is refused. Which ones are refused is the last element of a batch (tellMisfits() in
  frame/reading.lua). Or a refusal (frame/admission.lua): if the requests of a batch take too much work together,
  it charges nothing.
]]
local function lookAtAll(args, reply)
  for i = 3, #args do
    reply[i] = reading.isMisfit[i - 2] and '' or availability.hasFreeSlot(naming.resolve(args[i])) and 1 or 0
  end
end

verbs.available = reading.verb('definitions', function(_, args)
  local reply = { 'OK', '' }
  -- A request that is alone in its call is always answered.
  if work.isOverBudget(lookAtAll, not reading.isBatch and math.huge, args, reply) then
    return reading.tooMuch(#reply - 2)
  end
  reply[2] = quota.readsQuota .. ' ' .. math.floor(work.done)
  return reading.tellMisfits(reply)
end)

--[[ tree (ARGV[1] credential, ARGV[2] reads)
  Returns one page of the tenant's tree. Each node follows its parent; children are in byte order of their names. A page
  ends after a number of nodes or an amount of work.

  ARGV[3]  path of the last node of the page before, '>' between; '' for the first page
  ARGV[4]  maximum number of nodes

  Returns {'OK', quota, 1 if this is the last page, else 0, number of the tenant's definitions, node, ...}. A node is a
  text with a line for each of: depth, name, capacity, number of slots that are free and ready, number of those that are
  out of service, and of those that are dirty, number of tickets that wait for it, its kind (registry.kindOf()), from
  when on it is booked, in ms, '' never (fits.freeUntil()), and each label.
]]
local MAX_TREE_WORK, SIBLINGS = 3000, 50

-- A walk of the tree has
--   path    names from the root down to the last node
--   queues  queues[depth]: the next children at that depth

-- Returns the next child at a depth, after the child `after` ('': the first); nil at the end.
local function childAt(walk, depth, after)
  local queue = walk.queues[depth]
  if not queue or queue.at > #queue.names then
    local names = naming.childrenOf(walk.path[depth - 1] or '', after, SIBLINGS)
    registry.readDefinitions(names)
    queue = { names = names, at = 1 }
    walk.queues[depth] = queue
  end
  queue.at = queue.at + 1
  return queue.names[queue.at - 1]
end

-- Moves to the next node. Returns false at the end of the tree.
local function advance(walk)
  local path, depth = walk.path, #walk.path + 1
  walk.queues[depth] = nil
  local child = childAt(walk, depth, '')
  while not child do
    depth = depth - 1
    if depth == 0 then
      return false
    end
    child = childAt(walk, depth, path[depth])
    path[depth] = nil
  end
  path[depth] = child
  return true
end

-- Returns how many slots of a resource are free and ready.
local function freeOf(name, one)
  if one.hasConditions then
    return conditions.freeOf(name, one.capacity, 'ready')
  end
  -- The record is not needed: it may be long.
  local held = redis.call('HEXISTS', keys.slots, name) + (one.pooled and pools.poolOf(name).held or 0)
  return math.max(0, one.capacity - held)
end

-- Returns from when on a resource is booked, in ms, '' never.
local function bookedFrom(name)
  local first = booked.isBookable(name) and fits.freeUntil(name)
  return first and first < math.huge and string.format('%.0f', first) or ''
end

-- Returns a node as a text.
local function nodeText(name, depth)
  local one = registry.definition(name)
  work.spend(3)
  return table.concat({
    depth, name, one.capacity, freeOf(name, one), conditions.countOf(name, one.capacity, 'out'),
    conditions.countOf(name, one.capacity, 'dirty'), queues.waitersOf(name), registry.kindOf(one),
    bookedFrom(name), unpack(naming.labelsOf(name)),
  }, '\n')
end

verbs.tree = reading.verb('definitions', function(_, args)
  local limit, path = tonumber(args[4]), itemForms.splitLines(string.gsub(args[3], '>', '\n'))
  local walk, reply = { path = path, queues = {} }, { 'OK', quota.readsQuota, 0, tenant.definitions }
  while #reply - 4 < limit and work.done < MAX_TREE_WORK do
    if not advance(walk) then
      reply[3] = 1
      break
    end
    reply[#reply + 1] = nodeText(path[#path], #path - 1)
  end
  return reply
end)

return verbs
