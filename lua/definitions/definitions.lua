-- The tenant's definitions, as this call sees and changes them. The hash `definitions` has, for each registered name,
--   <name>     packed: a version byte, capacity, flags (1 pooled, 2 it has blockers), parent ('' none); then, unless 0,
--              a byte of more flags (1 group, 2 it has labels, 4 some of its slots may not be ready, 8 its slots are
--              dirty after use, 16 it has attributes, 32 its slots can be booked)
--   \1<name>   its blockers, with '\n' between; absent if it has none
--   \2<name>   ms: until then the name cannot be reserved, since it may be about to be deleted
--              (verbs/delete.lua)
--   \4<name>   its labels, '<key>=<value>', sorted, with '\n' between; absent if it has none
--   \5<name>   its attributes, with those of its slots besides (definitions/attributes.lua); absent if it has none
--   \3         a long value: it keeps Redis from storing a short hash as a list, which every look-up would walk
-- A definition is a table:
--   capacity     its number of slots; 1 for a group, which has none
--   parent       the resource above it in the tree, '' none
--   pooled       true if it has more than one slot, or if slots are still held from when it had more
--   isGroup      true if it only groups: it takes no slot and gates nothing
--   hasLabels    true if it has any; labelsOf() reads them
--   hasConditions  true if some of its slots may not be ready (slots/conditions.lua)
--   isDirtied    true if its slots are dirty after use; then hasConditions is true
--   hasAttributes  true if it has any (definitions/attributes.lua); attributes: these, nil until they are read
--   isBookable   true if its slots can be booked (bookings/booked.lua)
--   labels       array of them, nil until they are read
--   hasBlockers  true if it has any; blockersOf() reads them
--   blocks       array of their names, nil until they are read
-- Field: defined[name], the definition of a name, false if there is none, nil if it was not read.
local call = require('frame/call')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local work = require('frame/work')
local registry = {}
-- The form in which a definition is stored, without its other flags.
registry.DEFINITION = '>BI4Bs'
local NONE, VERSION = {}, 1

-- Returns a stored definition as a table.
function registry.unpackDefinition(packed)
  local _, capacity, flags, parent, at = struct.unpack(registry.DEFINITION, packed)
  local more = string.byte(packed, at) or 0
  return {
    capacity = capacity, parent = parent, pooled = flags % 2 == 1, hasBlockers = flags >= 2,
    isGroup = more % 2 == 1, hasLabels = more % 4 >= 2, hasConditions = more % 8 >= 4, isDirtied = more % 16 >= 8,
    hasAttributes = more % 32 >= 16, isBookable = more >= 32,
  }
end

-- Returns the byte of more flags.
local function moreFlags(one)
  return (one.isGroup and 1 or 0) + (one.hasLabels and 2 or 0) + (one.hasConditions and 4 or 0) +
    (one.isDirtied and 8 or 0) + (one.hasAttributes and 16 or 0) + (one.isBookable and 32 or 0)
end

-- Returns a definition as it is stored.
function registry.packDefinition(one)
  local flags, more = (one.pooled and 1 or 0) + (one.hasBlockers and 2 or 0), moreFlags(one)
  local packed = struct.pack(registry.DEFINITION, VERSION, one.capacity, flags, one.parent)
  return more == 0 and packed or packed .. string.char(more)
end

-- Returns the capacity of a resource that needs no other slots than its own and is ready after use, nil if a stored
-- definition says otherwise; true if it has only one slot, which is ready, and no labels; and true if some of its slots
-- may not be ready.
function registry.capacityAlone(packed)
  local _, capacity, flags, parent, at = struct.unpack(registry.DEFINITION, packed)
  local more = string.byte(packed, at) or 0
  if parent == '' and flags < 2 and more < 8 and more % 2 == 0 then
    return capacity, capacity == 1 and flags == 0 and more == 0, more >= 4
  end
end

-- Those that the plain way (lua/plain) has read before: name -> packed, false if there is none.
local readBefore

-- Returns true if the tenant has no definitions.
function registry.isNothingDefined()
  return tenant.definitions == 0
end

-- Returns the definition of a name; false if there is none.
function registry.definition(name)
  local found = registry.defined[name]
  if found == nil and tenant.definitions > 0 then
    work.spend(2)
    local packed = readBefore[name]
    if packed == nil then
      packed = redis.call('HGET', keys.definitions, name)
    end
    found = packed and registry.unpackDefinition(packed)
    registry.defined[name] = found
  end
  return found or false
end

-- Reads definitions that were not read yet, in few commands. Takes an array of names.
function registry.readDefinitions(names)
  if tenant.definitions == 0 then
    return
  end
  local missing
  for _, name in ipairs(names) do
    if registry.defined[name] == nil and readBefore[name] == nil then
      registry.defined[name] = false
      missing = missing or {}
      missing[#missing + 1] = name
    end
  end
  for from = 1, missing and #missing or 0, 1000 do
    local last = math.min(from + 999, #missing)
    local count = 0
    work.spend(0.5 * (last - from + 1))
    local found = redis.call('HMGET', keys.definitions, unpack(missing, from, last))
    for i, packed in ipairs(found) do
      if packed then
        count = count + 1
        registry.defined[missing[from + i - 1]] = registry.unpackDefinition(packed)
      end
    end
    work.spend(1.5 * count)
  end
end

-- Returns which kind a definition is, for pages: 1 a group, 2 it can be booked, 0 neither.
function registry.kindOf(one)
  return one.isGroup and 1 or one.isBookable and 2 or 0
end

function registry.begin()
  if not registry.defined or next(registry.defined) then
    registry.defined = {}
  end
  readBefore = call.handed and call.handed.definitions or NONE
end

return registry
