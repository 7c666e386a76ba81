-- Finds the resource or slot that a name of a caller stands for. Reads the paths, labels, blockers and children of
-- registered resources.
local itemForms = require('frame/items')
local keys = require('frame/keys')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')
local naming = {}
-- The list of resources without blockers or labels. It is never changed.
local NONE = {}
-- paths[name]: the path of a resource.
local paths

-- Returns the path of a registered resource, its own name included, with '>' between.
function naming.pathOf(name)
  local path = paths[name]
  if not path then
    local parent = registry.definition(name).parent
    path = parent ~= '' and registry.definition(parent) and naming.pathOf(parent) .. '>' .. name or name
    work.spend(0.5 + #path / 500)
    paths[name] = path
  end
  return path
end

-- Returns the registered resource whose name is a slot name of the pool, the lowest number first; nil if none is.
function naming.nameOfSlot(pool, capacity)
  work.spend(3)
  local from, to = '[s' .. pool .. '\n', string.format('(s%s\n%07d', pool, capacity)
  local member = redis.call('ZRANGE', keys.nameIndex, from, to, 'BYLEX', 'LIMIT', 0, 1)[1]
  return member and pool .. '_' .. tonumber(string.sub(member, -7))
end

-- Returns the last segment of a name that has the form of a path; nil or false for other names.
function naming.lastSegment(name)
  return string.find(name, '>', 1, true) and string.match(name, '^.*>([^>]+)$')
end

-- Reads the definitions that names may refer to, all at once. Takes an array.
function naming.readMeanings(names)
  if tenant.definitions == 0 then
    return
  end
  local wanted = {}
  for _, name in ipairs(names) do
    work.spend(0.5 + #name / 200)
    wanted[#wanted + 1] = name
    wanted[#wanted + 1] = (pools.slotNumber(name))
    wanted[#wanted + 1] = naming.lastSegment(name) or nil
  end
  registry.readDefinitions(wanted)
end

-- Resolves a name that a caller sends (docs/specification.md#what-a-name-means): it is that of a resource, of one slot
-- of a pool, or a path. Returns the resource that it means and, if it is the name of one slot of a pool, the slot.
-- Returns nil if the name is not valid. Blockers never need registration: the tenant chose their names when it declared
-- them.
function naming.resolve(name, isBlocker)
  if tenant.definitions > 0 or tenant.isRedefined then
    if registry.definition(name) then
      return name
    end
    local pool, slotNumber = pools.slotNumber(name)
    local whole = pool and registry.definition(pool)
    if whole and whole.capacity > 1 then
      if slotNumber < whole.capacity then
        return pool, name
      end
      return nil
    end
    local last = naming.lastSegment(name)
    if last and registry.definition(last) then
      return naming.pathOf(last) == name and last or nil
    end
  end
  if tenant.requiresRegistration and not isBlocker then
    return nil
  end
  return name
end

-- Returns up to `limit` stored children of a resource ('': the roots), in byte order, after the child `after` ('': from
-- the first). definitions/redefine.lua describes the name index. Changes that this call has made are not included.
function naming.childrenOf(name, after, limit)
  local prefix = 'c' .. name .. '\n'
  local from = after == '' and '[' .. prefix or '(' .. prefix .. after
  local members = redis.call('ZRANGE', keys.nameIndex, from, '(c' .. name .. '\11', 'BYLEX', 'LIMIT', 0, limit)
  work.spend(3 + #members / 10)
  for i, member in ipairs(members) do
    members[i] = string.sub(member, #prefix + 1)
  end
  return members
end

-- The most names that levelBelow() looks at.
naming.MAX_LOOKED = 500

-- Returns the names whose parents are in a list, and the number of names that were looked at. Ends early if that is
-- above naming.MAX_LOOKED.
function naming.levelBelow(level, looked)
  local below = {}
  for _, above in ipairs(level) do
    local children = naming.childrenOf(above, '', naming.MAX_LOOKED + 1)
    registry.readDefinitions(children)
    for _, child in ipairs(children) do
      if registry.definition(child).parent == above then
        below[#below + 1] = child
      end
    end
    looked = looked + #children
    if looked > naming.MAX_LOOKED then
      break
    end
  end
  return below, looked
end

-- Returns true if the tenant has a bookable resource. Changes that this call has made are not included.
function naming.isAnyBookable()
  work.spend(2)
  return tenant.definitions > 0 and #redis.call('ZRANGE', keys.nameIndex, '[b', '(c', 'BYLEX', 'LIMIT', 0, 1) > 0
end

-- Returns what a field of the definitions lists for a resource, one a line. It is kept in the definition.
local function listOf(one, list, field)
  if not one[list] then
    local text = redis.call('HGET', keys.definitions, field) or ''
    one[list] = itemForms.splitLines(text)
    work.spend(2 + #one[list] / 4 + #text / 200)
  end
  return one[list]
end

-- Returns the blockers that a resource declares, an array of names.
function naming.blockersOf(name)
  local one = registry.definition(name)
  return one and one.hasBlockers and listOf(one, 'blocks', '\1' .. name) or NONE
end

-- Returns the labels of a resource (docs/specification.md#labels), a sorted array of '<key>=<value>'.
function naming.labelsOf(name)
  local one = registry.definition(name)
  return one and one.hasLabels and listOf(one, 'labels', '\4' .. name) or NONE
end

function naming.begin()
  paths = paths and not next(paths) and paths or {}
end

return naming
