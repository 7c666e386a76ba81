--[[
  Returns one page of the tenant's tree. Each node follows its parent; children are in byte order of their names. A page
  ends after a number of nodes or an amount of work.

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
  KEYS[15]  readsFree
  KEYS[16]  readsStarter
  KEYS[17]  readsPro
  KEYS[18]  readsEnterprise

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads to charge (limits/quota.lua)
  ARGV[3]  path of the last node of the page before, '>' between; '' for the first page
  ARGV[4]  maximum number of nodes

  Returns {'OK', quota (limits/quota.lua), 1 if this is the last page, else 0, number of the tenant's definitions, node,
  ...}. A node is a text with a line for each of: depth, name, capacity, number of held slots, number of tickets that
  wait for it, 1 if it is a group, else 0, and each label. Or the reply of refuse() in limits/quota.lua, {'NO_KEY'},
  {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
local labelling = require('definitions/labels')
local lines = require('waiting/lines')
local naming = require('definitions/names')
local pools = require('slots/pools')
local quota = require('limits/quota')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')

return function(keys, args)
  local refused = reading.read('definitions')
  if refused then
    return refused
  end
  local MAX_PAGE_WORK, SIBLINGS = 3000, 50
  local limit = tonumber(args[4])
  -- path: names from the root down to the last node returned. queues[depth]: the next children at that depth.
  local path, queues = {}, {}
  for segment in string.gmatch(args[3], '[^>]+') do
    path[#path + 1] = segment
  end

  -- Returns the next child at a depth, after the child `after` ('': the first); nil at the end.
  local function childAt(depth, after)
    local queue = queues[depth]
    if not queue or queue.at > #queue.names then
      local names = naming.childrenOf(path[depth - 1] or '', after, SIBLINGS)
      registry.readDefinitions(names)
      queue = { names = names, at = 1 }
      queues[depth] = queue
    end
    queue.at = queue.at + 1
    return queue.names[queue.at - 1]
  end

  -- Moves to the next node. Returns false at the end of the tree.
  local function advance()
    local depth = #path + 1
    queues[depth] = nil
    local child = childAt(depth, '')
    while not child do
      depth = depth - 1
      if depth == 0 then
        return false
      end
      child = childAt(depth, path[depth])
      path[depth] = nil
    end
    path[depth] = child
    return true
  end

  local reply = { 'OK', quota.readsQuota, 0, tenant.definitions }
  while #reply - 4 < limit and work.done < MAX_PAGE_WORK do
    if not advance() then
      reply[3] = 1
      break
    end
    local name = path[#path]
    local one = registry.definition(name)
    local held = redis.call('HEXISTS', keys.slots, name) + (one.pooled and pools.poolOf(name).held or 0)
    work.spend(3)
    reply[#reply + 1] = table.concat({
      #path - 1, name, one.capacity, held, lines.waitersOf(name), one.isGroup and 1 or 0, unpack(labelling.labelsOf(name)),
    }, '\n')
  end
  return reply
end
