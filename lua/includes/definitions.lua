-- The tenant's definitions, as this call sees and changes them. A definition is a table:
--   capacity  its number of slots
--   parent    the resource above it in the tree, '' none
--   blocks    array of the names that are acquired along with it
--   pooled    true where it has more than one slot, or slots are still held that it had as such
-- Stored packed in a hash by name; the names besides in a sorted set, in the order of their bytes, and 'parent\nname' in another.
local DEFINITION = '>I4Bss'
local defined = {}
local definitionsKey, namesKey, childrenKey = base .. 'definitions', base .. 'names', base .. 'children'

local function packDefinition(one)
  return struct.pack(DEFINITION, one.capacity, one.pooled and 1 or 0, one.parent, table.concat(one.blocks, '\n'))
end

local function unpackDefinition(packed)
  local capacity, pooled, parent, blocks = struct.unpack(DEFINITION, packed)
  local names = {}
  for name in string.gmatch(blocks, '[^\n]+') do
    names[#names + 1] = name
  end
  return { capacity = capacity, parent = parent, blocks = names, pooled = pooled == 1 }
end

-- The definition of a name; false where there is none.
local function definition(name)
  local found = defined[name]
  if found == nil then
    local packed = definitions > 0 and redis.call('HGET', definitionsKey, name)
    found = packed and unpackDefinition(packed)
    defined[name] = found
  end
  return found
end

-- The path of a registered resource, its own name included, with '>' between.
local function pathOf(name)
  local path = name
  local above = definition(name).parent
  while above ~= '' do
    path = above .. '>' .. path
    above = definition(above).parent
  end
  return path
end

-- The last segment of a name that has the form of a path; nil where it has not.
local function lastSegment(name)
  return string.match(name, '>([^>]+)$')
end

-- What a name means when it is reserved, checked or released (decisions, section 3). Returns the resource and, where the name
-- is that of one slot of a pool, the slot; nil where it is not valid. Blockers need no registration, whatever the tenant's
-- setting: those who declare them have chosen them.
local function resolve(name, isBlocker)
  if definitions > 0 then
    if definition(name) then
      return name
    end
    local pool, index = slotIndex(name)
    local whole = pool and definition(pool)
    if whole and whole.capacity > 1 then
      if index < whole.capacity then
        return pool, name
      end
      return nil
    end
    local last = lastSegment(name)
    if last and definition(last) then
      if pathOf(last) == name then
        return last
      end
      return nil
    end
  end
  if requireRegistration and not isBlocker then
    return nil
  end
  return name
end

-- Reads the definitions that names may refer to, all at once. Takes an array.
local function readDefinitions(names)
  if definitions == 0 then
    return
  end
  local wanted = {}
  for _, name in ipairs(names) do
    wanted[#wanted + 1] = name
    wanted[#wanted + 1] = (slotIndex(name))
    wanted[#wanted + 1] = lastSegment(name)
  end
  for from = 1, #wanted, 1000 do
    local found = redis.call('HMGET', definitionsKey, unpack(wanted, from, math.min(from + 999, #wanted)))
    for i, packed in ipairs(found) do
      defined[wanted[from + i - 1]] = packed and unpackDefinition(packed)
    end
  end
end

-- Reads what the first look at each of these names needs: its definition and its slot. Takes an array of names.
local function readNames(names)
  readDefinitions(names)
  read(names)
end

-- Whether a definition may be about to be deleted (delete.lua): then nothing of it is given out.
local function isClosing(name)
  return closing > nowMs and tonumber(redis.call('HGET', base .. 'closing', name) or 0) > nowMs
end
