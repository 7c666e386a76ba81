--[[
  Returns one page of the tenant's tree. Each node follows its parent; children are in byte order of their names. A page
  ends after a number of nodes or an amount of work.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads to charge (limits/quota.lua)
  ARGV[3]  path of the last node of the page before, '>' between; '' for the first page
  ARGV[4]  maximum number of nodes

  Returns {'OK', quota (limits/quota.lua), 1 if this is the last page, else 0, number of the tenant's definitions,
  node, ...}. A node is a text with a line for each of: depth, name, capacity, number of held slots, number of tickets
  that wait for it, 1 if it is a group, else 0, and each label. Or a refusal (frame/admission.lua).
]]
local itemForms = require('frame/items')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')

local MAX_PAGE_WORK, SIBLINGS = 3000, 50

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

-- Returns a node as a text.
local function describe(name, depth)
  local one = registry.definition(name)
  local held = redis.call('HEXISTS', keys.slots, name) + (one.pooled and pools.poolOf(name).held or 0)
  work.spend(3)
  return table.concat({
    depth, name, one.capacity, held, lines.waitersOf(name), one.isGroup and 1 or 0, unpack(naming.labelsOf(name)),
  }, '\n')
end

return function(_, args)
  local refused = reading.read('definitions')
  if refused then
    return refused
  end
  local limit, path = tonumber(args[4]), itemForms.splitLines(string.gsub(args[3], '>', '\n'))
  local walk, reply = { path = path, queues = {} }, { 'OK', quota.readsQuota, 0, tenant.definitions }
  while #reply - 4 < limit and work.done < MAX_PAGE_WORK do
    if not advance(walk) then
      reply[3] = 1
      break
    end
    reply[#reply + 1] = describe(path[#path], #path - 1)
  end
  return reply
end
