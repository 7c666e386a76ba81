-- Checks definitions that a request has made on paper (verbs/definitions/register.lua, which describes the fields of a
-- request), before they are in force.
local changes = require('definitions/changes')
local naming = require('definitions/names')
local pools = require('slots/pools')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local work = require('frame/work')
local checks = {}

local MAX_MOVED = 500

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

-- Returns the names whose parents are in a list, and the number of names that were looked at. Ends early if that is
-- above MAX_MOVED.
local function levelBelow(level, looked)
  local below = {}
  for _, above in ipairs(level) do
    local children = naming.childrenOf(above, '', MAX_MOVED + 1)
    registry.readDefinitions(children)
    for _, child in ipairs(children) do
      if registry.definition(child).parent == above then
        below[#below + 1] = child
      end
    end
    looked = looked + #children
    if looked > MAX_MOVED then
      break
    end
  end
  return below, looked
end

-- Nothing below a resource that moves down gets too many ancestors, since its subtree moves with it. A new resource has
-- no older subtree.
local function checkDepths(request)
  local looked, maxDepth = 0, tonumber(request.args[5])
  for _, name in ipairs(request.names) do
    request.current = name
    local level, depth = {}, #request.pathOf[name]
    if redefining.redefined[name] and changes.depthBefore(name) < depth then
      level = { name }
    end
    while #level > 0 and depth <= maxDepth do
      level, looked = levelBelow(level, looked)
      depth = depth + 1
      if looked > MAX_MOVED then
        local text = 'must not move more than ' .. MAX_MOVED .. ' resources further down at once'
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
    local pool, index = pools.slotIndex(name)
    local whole = pool and registry.definition(pool)
    if whole and whole.capacity > 1 and index < whole.capacity then
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

-- Returns the reply that refuses the request; nil if its definitions agree with each other and with all others.
function checks.whyRefused(request)
  return checkGroups(request) or checkPaths(request) or checkDepths(request) or checkNames(request) or
    checkSlotNames(request)
end

return checks
