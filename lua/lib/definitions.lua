-- The tenant's definitions, as this script sees and changes them. One hash holds, for each registered name,
--   <name>     packed: a version byte, capacity, flags (1 pooled, 2 it has blockers), parent ('' none); then, unless 0,
--              a byte of further flags (1 group, 2 it has labels)
--   \1<name>   its blockers, with '\n' between; absent if it has none
--   \2<name>   ms: until then the name cannot be reserved, since it may be about to be deleted (delete.lua)
--   \4<name>   its labels, '<key>=<value>', sorted, with '\n' between; absent if it has none
--   \3         a long value: it keeps Redis from storing a short hash as a list, which every look-up would walk
-- A definition is a table:
--   capacity     its number of slots; 1 for a group, which has none
--   parent       the resource above it in the tree, '' none
--   pooled       true if it has more than one slot, or if slots are still held from when it had more
--   isGroup      true if it only groups: it takes no slot and gates nothing
--   hasLabels    true if it has any; labelsOf() reads them
--   labels       array of them, nil until they are read
--   hasBlockers  true if it has any; blockersOf() reads them
--   blocks       array of their names, nil until they are read
--@include tenant
--@include unpackDefinition
--@include work
-- defined[name]: its definition, false if there is none, nil if it was not read.
local defined = {}
-- Those that the plain way (lua/verbs) has read before: name -> packed, false if there is none.
local readBefore = handed and handed.definitions or {}

-- Returns the definition of a name; false if there is none.
local function definition(name)
  local found = defined[name]
  if found == nil and tenant.definitions > 0 then
    spend(2)
    local packed = readBefore[name]
    if packed == nil then
      packed = redis.call('HGET', definitionsKey, name)
    end
    found = packed and unpackDefinition(packed)
    defined[name] = found
  end
  return found or false
end
